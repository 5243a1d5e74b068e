// SPDX-License-Identifier: GPL-2.0
#include <linux/irq_work.h>
#include <linux/kprobes.h>

#include "phantoms/phantom_watch.h"

static void (*changed)(void);

static void watch_wake(struct irq_work *work)
{
	changed();
}

static struct irq_work wake_work = IRQ_WORK_INIT(watch_wake);

/* ftrace and the kernel's text are locked here. */
static int code_changed(struct kprobe *kprobe, struct pt_regs *regs)
{
	irq_work_queue(&wake_work);
	return 0;
}
NOKPROBE_SYMBOL(code_changed);

/* ftrace, from 6.1 to 7.3, calls it when the new code is in place, and for nothing else. */
static struct kprobe probe;

int phantom_watch_begin(void (*fn)(void))
{
	changed = fn;
	probe = (struct kprobe){
		.symbol_name = "ftrace_arch_code_modify_post_process",
		.pre_handler = code_changed,
	};
	return register_kprobe(&probe);
}

void phantom_watch_end(void)
{
	unregister_kprobe(&probe);
	irq_work_sync(&wake_work);
}
