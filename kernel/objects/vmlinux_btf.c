// SPDX-License-Identifier: GPL-2.0
#include "objects/vmlinux_btf.h"

static struct base_btf btf;

int vmlinux_btf_init(void)
{
	return base_btf_open_vmlinux(&btf);
}

void vmlinux_btf_exit(void)
{
	base_btf_close(&btf);
}

const struct base_btf *vmlinux_btf(void)
{
	return &btf;
}

void vmlinux_btf_settle(const void *at)
{
	base_btf_settle(&btf, at);
}
