#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of an apt configuration that knows just one other suite of the archive that this
# machine is configured for, and has its package index, not older than a day:
#
#   APT_CONFIG=$(apt-suite.sh SUITE[:ARCHITECTURE] [now]) apt-get download PACKAGE
#
# The architecture is this machine's by default. Suite "any" is all that apt is set up with here.
#
# It lies in the cache, next to its index; nothing of /etc/apt or /var/lib/apt is changed, and no
# root is needed. If the archive does not answer, the index of the cache serves, and stderr says so.
set -euo pipefail

suite=${1:?usage: apt-suite.sh SUITE[:ARCHITECTURE] [now]}
folder=${BTF_EXTRA_CACHE:-~/.cache/btf-extra}/apt/${suite/:/-}
architecture=$(dpkg --print-architecture)
[[ $suite != *:* ]] || architecture=${suite#*:}
config=$folder/apt.conf

say() { echo "apt-suite: $*" >&2; }
die() { say "$*"; exit 1; }

# "RELEASE URI" of each source of this machine that has free software.
sources() {
    # shellcheck disable=SC2016  # apt's own variables
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
        awk '$2 == "main" { print $1, $3 }' | sort -u
}

# The suite is where this machine takes its own release from.
source_lines() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    if [ "${suite%:*}" = any ]; then
        sources | awk '{ print "deb", $2, $1, "main" }'
    else
        sources | awk -v release="$codename" -v suite="${suite%:*}" \
            '$1 == release && !found++ { print "deb", $2, suite, "main" }'
    fi
}

write_config() {
    local lines
    lines=$(source_lines)
    [ -n "$lines" ] || die 'no source of this release in the apt configuration'
    mkdir -p "$folder/lists/partial" "$folder/archives/partial"
    echo "$lines" >"$folder/sources.list"
    cat >"$config.new" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Dir::State "$folder";
Dir::State::lists "lists";
Dir::State::status "/dev/null";
Dir::Cache "$folder";
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
APT::Sandbox::User "root";
END
    mv "$config.new" "$config"
}

index_there() { compgen -G "$folder/lists/*_Packages*" >/dev/null; }
index_old() { ! index_there || [ -z "$(find "$folder/updated" -mtime -1 2>/dev/null)" ]; }

update_index() {
    local log
    say "reading the index of $suite"
    # An archive that does not answer is a failure only with Error-Mode.
    if log=$(APT_CONFIG=$config timeout 900 apt-get -q -o Acquire::Retries=2 \
        -o Acquire::http::Timeout=30 -o APT::Update::Error-Mode=any update 2>&1 </dev/null); then
        touch "$folder/updated"
    else
        printf '%s\n' "$log" >&2
        index_there || die "$suite: no package index"
        say "$suite: the package index could not be brought up to date"
    fi
}

mkdir -p "$folder"
exec {lock}>"$folder/lock"
flock "$lock"
write_config
if [ "${2:-}" = now ] || index_old; then update_index; fi
echo "$config"
