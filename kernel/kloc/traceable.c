// SPDX-License-Identifier: GPL-2.0
#include <linux/btf_extra.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>

#include "core/func_suffix.h"
#include "kloc/traceable.h"

/* The most bodies of one name that are checked. */
#define MAX_BODIES 64

int traceable_begin(struct traceable *traceable)
{
	*traceable = (struct traceable){};
	traceable->symbol = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	return traceable->symbol ? 0 : -ENOMEM;
}

void traceable_end(struct traceable *traceable)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	ftrace_free_filter(&traceable->ops);
#endif
	kfree(traceable->symbol);
}

#ifdef CONFIG_DYNAMIC_FTRACE

/* An ftrace filter accepts only addresses of functions that ftrace lists. */
static int ftrace_knows(struct traceable *traceable, unsigned long start)
{
	int err = ftrace_set_filter_ip(&traceable->ops, start, 0, 1);

	return err == -ENOMEM ? err : !err;
}

/*
 * With GCC 12 on arm64 bodies begin after the hook, and their symbol begins before it. The symbol
 * is lost.
 */
static int ftrace_knows_body(struct traceable *traceable, unsigned long address)
{
	struct symbol_extent body;

	return kernel_symbol_around(address, traceable->symbol, &body) ?
	       ftrace_knows(traceable, body.start) : 0;
}

struct bodies {
	unsigned long addresses[MAX_BODIES];
	u32 nr;
};

static int keep_body(const struct btf_extra_site *site, void *data)
{
	struct bodies *bodies = data;

	if (bodies->nr == MAX_BODIES)
		return -E2BIG;
	bodies->addresses[bodies->nr++] = site->address;
	return 0;
}

/* A part of a function (foo.cold) is like the whole. All functions of that name must agree. */
static int whole_is_traceable(struct traceable *traceable)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_NAME,
		.flags = BTF_EXTRA_BODY_ONLY,
		.name = traceable->symbol,
	};
	struct bodies *bodies = kzalloc(sizeof(*bodies), GFP_KERNEL);
	size_t length = func_suffix_strip(traceable->symbol);
	int answer = 0;
	u32 i;

	if (!bodies)
		return -ENOMEM;
	if (traceable->symbol[length]) {
		traceable->symbol[length] = '\0';
		answer = !btf_extra_for_each_site(&query, keep_body, bodies, NULL);
	}
	for (i = 0; answer > 0 && i < bodies->nr; i++)
		answer = ftrace_knows_body(traceable, bodies->addresses[i]);
	kfree(bodies);
	return answer;
}

int traceable_address(struct traceable *traceable, unsigned long address)
{
	int answer;

	if (address >= traceable->function.start && address < traceable->function.end)
		return traceable->answer;
	/* The kernel's own rule is the same: code without a symbol is not notrace. */
	if (!kernel_symbol_around(address, traceable->symbol, &traceable->function))
		return 1;
	answer = ftrace_knows(traceable, traceable->function.start) ?:
		 whole_is_traceable(traceable);
	if (answer < 0)
		traceable->function = (struct symbol_extent){};
	else
		traceable->answer = answer;
	return answer;
}

#else

int traceable_address(struct traceable *traceable, unsigned long address)
{
	return 1;
}

#endif
