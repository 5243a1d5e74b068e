// SPDX-License-Identifier: GPL-2.0
/* A module that has nothing to do with btf_extra.ko. It has a kfunc for kprobe programs. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
__bpf_kfunc_start_defs();

__bpf_kfunc int bpf_foreign_add(int a, int b)
{
	return a + b;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(foreign_kfuncs)
BTF_ID_FLAGS(func, bpf_foreign_add)
BTF_KFUNCS_END(foreign_kfuncs)

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &foreign_kfuncs,
};

static int __init foreign_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &kfunc_set);
}
#else
static int __init foreign_init(void)
{
	return 0;
}
#endif

static void __exit foreign_exit(void)
{
}

module_init(foreign_init);
module_exit(foreign_exit);
MODULE_DESCRIPTION("A kfunc for kprobe programs, for the tests");
MODULE_LICENSE("GPL");
