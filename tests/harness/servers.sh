# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash
# Debian's nginx and debuginfod, run on this machine for guests with a network card, to whom it is
# 10.0.2.2; to be sourced. Each function sets a variable for a guest's URL.
#
#   begin_servers FOLDER SUITE    the servers of that suite; their files are in FOLDER
#   begin_nginx TREE              sets web; the requests are in FOLDER/asked, "STATUS PATH" a line
#   begin_debuginfod TREE...      sets debuginfod
#   await_build BUILD-ID WHAT     until debuginfod has that of the build: debuginfo, section/NAME
#   end_servers                   ends those that were begun here

server_pids=()

begin_servers() {
    server_files=$(realpath -m "$1")
    mkdir -p "$server_files"
    server_programs=$(vm/fetch-tools.sh "$2" servers)
}

# run_server PROGRAM ARGUMENT...: beside this script. It would ask the servers of DEBUGINFOD_URLS, too.
run_server() {
    env -u DEBUGINFOD_URLS TMPDIR="$server_files" "$server_programs/ld.so" \
        --library-path "$server_programs" "$server_programs/$1" "${@:2}" \
        >"$server_files/$1.log" 2>&1 </dev/null &
    server_pids+=($!)
}
free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

begin_nginx() {
    local port
    port=$(free_port)
    # shellcheck disable=SC2034  # for the script that sources this
    web=http://10.0.2.2:$port
    mkdir -p "$server_files/temporary"
    cat >"$server_files/nginx.conf" <<END
user root root;
daemon off;
worker_processes 1;
pid $server_files/nginx.pid;
events { }
http {
    log_format asked '\$status \$uri';
    access_log $server_files/asked asked;
    client_body_temp_path $server_files/temporary/body;
    proxy_temp_path $server_files/temporary/proxy;
    fastcgi_temp_path $server_files/temporary/fastcgi;
    uwsgi_temp_path $server_files/temporary/uwsgi;
    scgi_temp_path $server_files/temporary/scgi;
    server { listen 127.0.0.1:$port; root $(realpath "$1"); }
}
END
    run_server nginx -e stderr -c "$server_files/nginx.conf"
    await_port "$port"
}

# The first bytes of what a server has there.
fetched() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read(1)' "$1"; }

await_port() {
    for _ in $(seq 300); do
        ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
        sleep 0.1
    done
    echo "port $1: no server"
    return 1
}

begin_debuginfod() {
    debuginfod_here=http://127.0.0.1:$(free_port)
    # shellcheck disable=SC2034
    debuginfod=http://10.0.2.2:${debuginfod_here##*:}
    run_server debuginfod -d "$server_files/index" -p "${debuginfod_here##*:}" -F "$@"
    await_port "${debuginfod_here##*:}"
}

await_build() {
    for _ in $(seq 1200); do
        ! fetched "$debuginfod_here/buildid/$1/$2" 2>/dev/null || return 0
        sleep 0.5
    done
    echo "debuginfod has no $2 of $1"
    return 1
}

end_servers() {
    [ "${#server_pids[@]}" = 0 ] || { kill "${server_pids[@]}" && wait "${server_pids[@]}"; } 2>/dev/null
    server_pids=()
}
