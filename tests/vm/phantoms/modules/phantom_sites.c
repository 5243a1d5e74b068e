// SPDX-License-Identifier: GPL-2.0
/*
 * A function that is inlined into a function which a live patch may replace, one that is inlined into
 * the handler of a kprobe, where the kernel lets no other kprobe run, and, where an architecture has
 * NMIs, one that is inlined into a handler of them. Writing N to the parameter "calls" calls
 * call_around() with 1 to N; writing N to "probed" has the kprobe hit N times. Writing N to "nmis" has
 * processor 0 take N NMIs, one after the other; "handled" counts them. The module's init takes
 * "init_ms" milliseconds.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/version.h>

/*
 * keep(value) has it in a register that calls preserve. one_instruction(value) is one that an
 * optimized probe would replace as a whole, after which the register is still in use.
 */
#ifdef CONFIG_X86_64
#define keep(value) asm volatile("" : "+b"(value))
#define one_instruction(value) do {							\
	asm volatile("movq $0x12345678, %%rax" : : "b"(value) : "rax");			\
	asm volatile("" : : "b"(value));						\
} while (0)
#else
#define keep(value) asm volatile("" : "+r"(value))
#define one_instruction(value) do {							\
	asm volatile("nop" : : "r"(value));						\
	asm volatile("" : : "r"(value));						\
} while (0)
#endif

static __always_inline void site_called(unsigned long value)
{
	one_instruction(value);
}

static noinline void call_around(unsigned long value)
{
	keep(value);
	site_called(value);
}

static int set_calls(const char *text, const struct kernel_param *param)
{
	unsigned long calls, i;
	int err = kstrtoul(text, 0, &calls);

	for (i = 1; !err && i <= calls; i++)
		call_around(i);
	return err;
}

static const struct kernel_param_ops calls_ops = { .set = set_calls };
module_param_cb(calls, &calls_ops, NULL, 0200);

/* ---- a kprobe ---- */

static __always_inline void site_in_probe(unsigned long value)
{
	one_instruction(value);
}

static noinline void has_probe(unsigned long value)
{
	keep(value);
}

static int hit(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long value = 1;

	keep(value);
	site_in_probe(value);
	return 0;
}

static struct kprobe probe = {
	.addr = (kprobe_opcode_t *)has_probe,
	.pre_handler = hit,
};

static int set_probed(const char *text, const struct kernel_param *param)
{
	unsigned long calls, i;
	int err = kstrtoul(text, 0, &calls);

	for (i = 1; !err && i <= calls; i++)
		has_probe(i);
	return err;
}

static const struct kernel_param_ops probed_ops = { .set = set_probed };
module_param_cb(probed, &probed_ops, NULL, 0200);

/* ---- NMIs ---- */

#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>

static unsigned long handled;
module_param(handled, ulong, 0444);
static int expected;

static __always_inline void site_in_nmi(unsigned long value)
{
	one_instruction(value);
}

static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	unsigned long value;

	if (!xchg(&expected, 0))
		return NMI_DONE;
	value = READ_ONCE(handled) + 1;
	keep(value);
	site_in_nmi(value);
	smp_store_release(&handled, value);
	return NMI_HANDLED;
}

static void send_nmi(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	apic->send_IPI_mask(cpumask_of(0), NMI_VECTOR);
#else
	__apic_send_IPI_mask(cpumask_of(0), NMI_VECTOR);
#endif
}

static int set_nmis(const char *text, const struct kernel_param *param)
{
	unsigned long nmis, i;
	int err = kstrtoul(text, 0, &nmis);

	for (i = 0; !err && i < nmis; i++) {
		unsigned long before = READ_ONCE(handled);
		int waited = 0;

		WRITE_ONCE(expected, 1);
		send_nmi();
		while (smp_load_acquire(&handled) == before && waited++ < 1000)
			usleep_range(100, 200);
		if (smp_load_acquire(&handled) == before)
			err = -ETIMEDOUT;
	}
	return err;
}

static const struct kernel_param_ops nmis_ops = { .set = set_nmis };
module_param_cb(nmis, &nmis_ops, NULL, 0200);

static int nmis_begin(void)
{
	return register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "phantom_sites");
}

static void nmis_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "phantom_sites");
}
#else
static int nmis_begin(void)
{
	return 0;
}

static void nmis_end(void)
{
}
#endif

static unsigned int init_ms;
module_param(init_ms, uint, 0444);

static int __init phantom_sites_init(void)
{
	int err = register_kprobe(&probe);

	if (err)
		return err;
	err = nmis_begin();
	if (err)
		unregister_kprobe(&probe);
	else
		msleep(init_ms);
	return err;
}

static void __exit phantom_sites_exit(void)
{
	nmis_end();
	unregister_kprobe(&probe);
}

module_init(phantom_sites_init);
module_exit(phantom_sites_exit);

MODULE_DESCRIPTION("Functions that are inlined where few calls are, for the tests of btf_extra");
MODULE_LICENSE("GPL");
