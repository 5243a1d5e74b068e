#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: variables of the kernel, by programs of BPF and by `btf-extra value`.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

row 'the modules load' sh -c 'insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko' || exit 1
globals_guest /globals.bpf.o /symbols.nm
same 'globals_guest comes to its end' 0 $?

# The example lists all processes; itself and the shell among them.
tasks /tasks.bpf.o >/tmp/tasks
same 'the example comes to its end' 0 $?
same 'it lists init, this shell and itself' "1 $$ tasks" \
    "$(awk -v shell=$$ '$1 == 1 { init = 1 } $1 == shell { mine = $1 } $2 == "tasks" { own = $2 }
        END { print init, mine, own }' /tmp/tasks)"

value() { btf-extra value "$@" 2>&1; }
same 'value: a text in a struct' 'init_task.comm = "swapper/0"' "$(value init_task.comm)"
same 'value: by members of members' "init_uts_ns.name.release = \"$(uname -r)\"" \
    "$(value init_uts_ns.name.release)"
same 'value: what a pointer leads to' "saved_command_line = \"$(cut -c 1-63 /proc/cmdline)\"" \
    "$(value saved_command_line)"
same 'value: a number through a pointer' 'init_task.nsproxy->uts_ns->name.sysname = "Linux"' \
    "$(value 'init_task.nsproxy->uts_ns->name.sysname')"
same 'value: the object may be named' 'vmlinux:init_task.pid = 0' "$(value vmlinux:init_task.pid)"
value init_uts_ns.name >/tmp/struct
sed 's/^/# /' /tmp/struct | head -20
same 'value: a whole struct' yes "$(grep -q '^    \.sysname = (char\[65\])' /tmp/struct && echo yes)"
same 'value: JSON' "\"$(uname -r)\"" \
    "$(value --json init_uts_ns.name.release | sed -n 's/.*"value": //p')"
same 'value: no such variable' yes "$(value no_such_variable | grep -q 'no variable no_such' && echo yes)"
same 'value: no such member' yes "$(value init_task.no_such | grep -q 'has no member no_such' && echo yes)"
btf-extra value no_such_variable 2>/dev/null
same 'value: the exit code of a failure' 1 $?
# The first task of the list is the one with pid 1.
same 'value: an element of an array' yes "$(value 'init_uts_ns.name.sysname[0]' | grep -q "= 'L'" && echo yes)"
row 'the modules unload' rmmod btf_extra_vmlinux btf_extra
