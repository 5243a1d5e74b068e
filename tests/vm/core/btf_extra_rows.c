// SPDX-License-Identifier: GPL-2.0
/* The symbols of tests/core/query_rows.c, 0x100 bytes of them, which nobody calls. */
#include <linux/module.h>

#define SYMBOL(name, at) ".type " name ", @function\n.set " name ", query_rows + " at "\n"

asm(".pushsection .text, \"ax\"\n"
    ".balign 16\n"
    "query_rows:\n"
    ".fill 0x100, 1, 0xcc\n"
    SYMBOL("tcp_ack", "0x40")
    SYMBOL("tcp_ack.isra.0", "0x50")
    SYMBOL("tcp_ack.isra.1", "0x60")
    SYMBOL("drop.isra.1", "0x60")
    SYMBOL("tcp_ack.constprop.0", "0x70")
    SYMBOL("drop.part.0", "0x80")
    SYMBOL("drop.cold", "0x80")
    SYMBOL("tcp_rcv.isra.7", "0x90")
    ".popsection\n");

MODULE_DESCRIPTION("What the rows of btf_extra's core are asked of");
MODULE_LICENSE("GPL");
