#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In a guest that takes signed modules only, and trusts the key /signed/trusted.pem.
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/firmware.sh
. /firmware.sh
expose() { btf-extra expose --template /inlined.ko "$@"; }
sign() {
    key=/signed/$1
    shift
    expose --sign "$key.pem" "$key.der" "$@"
}
# says STATUS LINE COMMAND...: exits with that, and says that one line on stderr.
says() {
    wanted="$1 btf-extra: $2"
    row=$3
    shift 3
    said=$("$@" 2>&1 >/dev/null)
    same "$row" "$wanted" "$? $said"
}
listed() { btf-extra expose --list 2>/dev/null | awk '{ print $1 }' | sort | xargs; }
needs_sign='loading the module: Key was rejected by service: the kernel accepts only signed modules: --sign KEY CERT'
unknown_key='loading the module: Key was rejected by service: the kernel does not know the key of --sign'

same 'signatures are enforced' Y "$(cat /sys/module/module/parameters/sig_enforce)"
firmware_of_vmlinux
row 'a module without signature is refused' sh -c '! insmod /btf_extra.ko 2>/dev/null'
row 'btf_extra.ko, signed by sign-file, is taken' insmod /signed/btf_extra.ko || exit 1

says 1 "$needs_sign" 'no --sign: refused, and one line says what to do' expose tcp_ack_update_window
says 1 "$unknown_key" 'a key that the kernel does not trust' sign other tcp_ack_update_window
same 'nothing is exposed' '' "$(listed)"
row 'a key that it trusts' sign trusted --arm tcp_ack_update_window
same 'it is armed' "state held" "$(grep ^state /sys/kernel/btf_extra/inlined/tcp_ack_update_window)"

says 1 "$needs_sign" 'no --sign, where something is exposed' expose tcp_ack_snd_check
says 1 "$unknown_key" 'a key that it does not trust, where something is exposed' \
    sign other tcp_ack_snd_check
same 'what is exposed stays' tcp_ack_update_window "$(listed)"
row 'more is exposed' sign trusted tcp_ack_snd_check
same 'both are there' 'tcp_ack_snd_check tcp_ack_update_window' "$(listed)"
row 'one is taken away' btf-extra expose --remove --sign /signed/trusted.pem /signed/trusted.der \
    --template /inlined.ko tcp_ack_update_window
same 'the other one stays' tcp_ack_snd_check "$(listed)"
row 'all are taken away' btf-extra expose --remove
row 'the module unloads' rmmod btf_extra
