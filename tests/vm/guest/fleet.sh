#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest, which has no debug information: tables come from Debian's nginx and from its
# debuginfod. Both are in the guest, too, and are asked over the loopback interface. `make check-fleet`
# has servers for two guests.
# shellcheck disable=SC2086  # $loader is a list of words
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/fleet_command.sh
. /fleet_command.sh

release=$(uname -r)
firmware=/lib/firmware
tables=$firmware/btf_extra/$release
id=$(cat /vmlinux.build_id)
elf=vmlinux.btf_extra.elf
web=http://127.0.0.1:8001
secure=https://127.0.0.1:8004
debuginfod=http://127.0.0.1:8002
modules=/lib/modules/$release

# fails NAME MESSAGE ARGUMENT...: one line, and what was there is as it was.
fails() {
    before=$(find $firmware | sort)
    does "$1" "1 btf-extra: $2" install --from "${3:-$web}"
    same "$1: nothing half stays" "$before" "$(find $firmware | sort)"
}
# await COMMAND...: until it succeeds.
await() {
    for _ in $(seq 600); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    failed "it never came: $*"
    return 1
}
renew() { rm -rf /tmp/tree && cp -a /fleet/tree /tmp/tree; }
sum() { sha256sum "$1" | cut -d' ' -f1; }
size() { stat -c %s "$1"; }

# ---- nginx ----

# configure [LIMIT]: for the workers that come.
configure() {
    cat >/tmp/nginx.conf <<END
user root root;
worker_processes 1;
pid /tmp/nginx.pid;
events { }
http {
    log_format asked '\$status \$uri \$http_range';
    access_log /tmp/asked asked;
    client_body_temp_path /tmp/nginx.body;
    proxy_temp_path /tmp/nginx.proxy;
    fastcgi_temp_path /tmp/nginx.fastcgi;
    uwsgi_temp_path /tmp/nginx.uwsgi;
    scgi_temp_path /tmp/nginx.scgi;
    root /tmp/tree;
    server { listen 127.0.0.1:8001; $1 }
    server {
        listen 127.0.0.1:8004 ssl;
        listen 127.0.0.1:443 ssl;
        ssl_certificate /fleet/server.pem;
        ssl_certificate_key /fleet/server.key;
        location /moved/ { rewrite ^/moved(.*) $web\$1 redirect; }
    }
}
END
}
workers() { grep -l "^PPid:.$(cat /tmp/nginx.pid)\$" /proc/[0-9]*/status | cut -d/ -f3; }
another_worker() { workers | grep -qv "^$1\$"; }
# Says whether as much of the file is there as comes at once.
has_most() { [ "$(size "$firmware"/btf_extra/.btf_extra.*/download)" -ge 4194304 ]; }
trickle='limit_rate_after 4m; limit_rate 1k;'

mkdir -p /etc/ssl/certs
echo 'root:x:0:0::/:/bin/sh' >/etc/passwd
echo 'root:x:0:' >/etc/group
echo '127.0.0.1 tables.example' >/etc/hosts
ifconfig lo 127.0.0.1 up
mkdir -p $firmware
renew
configure "$trickle"
row 'nginx begins' $loader /servers/nginx -e /tmp/nginx.error -c /tmp/nginx.conf || exit 1

btf_extra doctor >/tmp/said 2>/tmp/told
same 'doctor: without tables' '1 btf-extra: tracing inlined calls does not work here: tables' \
    "$? $(cat /tmp/told)"

# ---- a transfer that ends too early ----

(exec $loader /bin/btf-extra install --from $web) >/tmp/said 2>/tmp/told &
await has_most
kill -TERM $!
wait $!
same 'SIGTERM: it ends by that' 143 $?
nothing 'SIGTERM: nothing half stays' "$(find $firmware -mindepth 1)"

: >/tmp/asked
old=$(workers)
btf_extra install --from $web/ >/tmp/said 2>/tmp/told &
await has_most
configure
kill -HUP "$(cat /tmp/nginx.pid)"
await another_worker "$old"
kill -KILL "$old"
wait $!
same 'a connection that breaks: the transfer goes on' \
    "0 $tables: 1 objects, N MB
btf-extra: $modules: no btf_extra.ko: trace uses perf kprobes" "$? $(plain)"
row 'a connection that breaks: the file is whole' cmp /vmlinux.btf_extra "$tables/vmlinux.btf_extra"
from=$(sed -n "s,^206 /$id/$elf bytes=\([0-9]*\)-\$,\1,p" /tmp/asked)
row 'a connection that breaks: what was there is not sent again' [ "${from:-0}" -ge 4194304 ]

# ---- what was fetched is of use ----

row 'list' btf_extra list ksys_fallocate
row 'doctor: by perf kprobes' btf_extra doctor
# trace NAME: a call of an inlined function.
trace() {
    btf_extra trace --count 1 ksys_fallocate >/tmp/lines 2>/tmp/told &
    await grep -q 'sites\?$' /tmp/told
    fallocate -o 4096 -l 777 /tmp/allocated
    wait $!
    same "$1" 'ksys_fallocate inlined fd=3 mode=0 offset=4096 len=777' \
        "$(sed 's/.* \(ksys_fallocate\) [^ ]* \(inlined .*\)/\1 \2/' /tmp/lines)"
}
trace 'trace: by perf kprobes'
does 'it is all there' "0 $tables: 1 objects, N MB, all installed already: nothing to do
btf-extra: $modules: no btf_extra.ko: trace uses perf kprobes" install --from $web

mkdir -p "$modules/updates/dkms"
cp /btf_extra.ko "$modules/updates/dkms"
depmod
insmod /fleet/btf_extra_sample.ko
: >/tmp/asked
does 'a module that is loaded later' "0 $tables: 2 objects, N MB" install --from $web
same 'only its tables are asked for' "200 /$id/checksums -
200 /$id/btf_extra_sample.btf_extra.elf -" "$(cat /tmp/asked)"
row 'doctor: by btf_extra.ko' btf_extra doctor
btf_extra doctor >/tmp/said
same 'doctor: what it says' 'tables ok loaded
tables of modules ok all 1 loaded modules
tracing inlined calls works, with btf_extra.ko' \
    "$(sed -n '/^tables\|^tracing/ s/  */ /gp' /tmp/said)"
trace 'trace: by btf_extra.ko'
does 'uninstall' "0 $tables: removed" uninstall
nothing 'uninstall: nothing stays' "$(find $firmware -mindepth 1; ls -d /sys/module/btf_extra 2>/dev/null)"
rmmod btf_extra_sample

# ---- what cannot be taken ----

fails 'no server' "http://127.0.0.1:8003/$id/checksums: Failed to connect to 127.0.0.1 port 8003 after N ms: Couldn't connect to server" \
    http://127.0.0.1:8003
fails 'no such host' "http://tables.invalid/$id/checksums: Could not resolve host: tables.invalid" \
    http://tables.invalid
cp /fleet/other.pem /etc/ssl/certs/ca-certificates.crt
fails 'a certificate that nobody vouches for' \
    "$secure/$id/checksums: SSL certificate problem: self-signed certificate" $secure
cp /fleet/server.pem /etc/ssl/certs/ca-certificates.crt
fails 'from https to http' "$secure/moved/$id/checksums: Protocol \"http\" not supported or disabled \
in libcurl" $secure/moved
does 'https' "0 $tables: 1 objects, N MB" install --from $secure
does 'https: uninstall' "0 $tables: removed" uninstall

# ---- the examples of the manual page ----

mkdir -p /tmp/bin
printf '#!/bin/sh\nexec %s /bin/btf-extra "$@"\n' "$loader" >/tmp/bin/btf-extra
chmod +x /tmp/bin/btf-extra
cp /fleet/examples_here /tmp/tried
# example TEXT: it is in the page, and it works.
example() {
    row "example: $1" grep -qxF "$1" /fleet/examples
    echo "$1" >>/tmp/tried
    (PATH=/tmp/bin:$PATH && eval "$1") >/tmp/said 2>/tmp/told
    same "example: $1: it works" 0 $?
}
example 'btf-extra install --from https://tables.example'
example "btf-extra list 'tcp_*' 'skb_*'"
row 'example: it lists what is asked for' grep -q '^vmlinux:tcp_ack_update_window ' /tmp/said
while sleep 1; do wget -q -O /dev/null $web/$id/$elf; done &
visitor=$!
example 'btf-extra trace tcp_ack_update_window --count 10'
kill $visitor
same 'example: it prints as many calls' 10 "$(grep -c ' tcp_ack_update_window .* ack=' /tmp/said)"
btf_extra uninstall >/dev/null
mv "/tmp/tree/$id" /tmp/tree/0a0b
fails 'no tables of this kernel' \
    "$web/$id/checksums: no tables of $release with build-id $id there"

renew
right=$(sum "/tmp/tree/$id/$elf")
printf '\377\0\377\0' | dd of="/tmp/tree/$id/$elf" bs=1 seek=100000 conv=notrunc 2>/dev/null
fails 'another sum' "$web/$id/$elf: SHA-256 is $(sum "/tmp/tree/$id/$elf"), not $right"

renew
cp "/tmp/tree/$id/btf_extra_sample.btf_extra.elf" "/tmp/tree/$id/$elf"
sed -i "s/^vmlinux .*/vmlinux $id $(size "/tmp/tree/$id/$elf") $(sum "/tmp/tree/$id/$elf")/" \
    "/tmp/tree/$id/checksums"
fails 'another build-id' "$web/$id/$elf: for build-id $(sed -n 's/^btf_extra_sample \([^ ]*\) .*/\1/p' \
    "/tmp/tree/$id/checksums"), not $id"

renew
mount -t tmpfs -o size=2m tmpfs $firmware
fails 'a full disk' "$firmware/btf_extra/HIDDEN/download: output: No space left on device"
mount -o remount,ro $firmware
fails 'a disk that is read-only' "$firmware/btf_extra: output: Read-only file system"
umount $firmware
kill -TERM "$(cat /tmp/nginx.pid)"

# ---- debuginfod ----

# The guest has no apt.
export DEBUGINFOD_URLS=$debuginfod DEBUGINFOD_CACHE_PATH=/tmp/cache
does 'no debuginfod' "1 btf-extra: no debug information of $release is installed; debuginfod: \
vmlinux of build-id $id: Connection refused: apt knows no package with it; install the kernel's vmlinux with \
DWARF, or take tables by --from" install
nothing 'no debuginfod: nothing half stays' "$(find $firmware -mindepth 1)"

# section BUILD-ID
section() { wget -q -O /tmp/section "$debuginfod/buildid/$1/section/.btf_extra.file"; }
cp /fleet/own.so /tmp/tree
touch -d '2000-01-01 00:00' /tmp/tree/own.so
# It would ask the servers of DEBUGINFOD_URLS, too.
(unset DEBUGINFOD_URLS; TMPDIR=/tmp exec $loader /servers/debuginfod -d /tmp/debuginfod.sqlite -p 8002 -F /tmp/tree) \
    >/tmp/log 2>&1 &
server=$!
await section "$id" || cat /tmp/log
await section "$(sed -n 's/^btf_extra_sample \([^ ]*\) .*/\1/p' "/tmp/tree/$id/checksums")"
await wget -q -O /tmp/executable "$debuginfod/buildid/$id/executable"
row 'debuginfod: the kernel itself is its executable' cmp /fleet/own.so /tmp/executable
insmod /fleet/btf_extra_sample.ko
rm -rf /tmp/cache
does 'debuginfod: tables' "0 $tables: 2 objects, N MB" install
row 'debuginfod: the file is whole' cmp /vmlinux.btf_extra "$tables/vmlinux.btf_extra"
row 'debuginfod: doctor' btf_extra doctor
does 'debuginfod: uninstall' "0 $tables: removed" uninstall
example 'btf-extra install --yes'
example 'btf-extra doctor'
same 'example: all of the page were tried' "$(sort /fleet/examples)" "$(sort /tmp/tried)"
btf_extra uninstall >/dev/null
kill -TERM $server
wait $server

rm -r /lib/modules /etc/ssl /etc/passwd /etc/group /etc/hosts && rmdir /etc
