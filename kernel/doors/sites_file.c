// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include "arch/arch.h"
#include "doors/other_symbols.h"
#include "doors/sites_file.h"
#include "fentry/fentry_hook.h"
#include "fentry/fentry_target.h"
#include "objects/kernel_symbol.h"
#include "objects/object_registry.h"
#include "query/address_view.h"
#include "query/site_query.h"

/*
 * The position is the id of an object and in it the rank of a site in the order by
 * address, or after all of these the distance of another symbol in its text, so
 * that objects may come and go between two reads.
 */
#define RANK_BITS 32

struct cursor {
	const struct extra_object *object;
	u32 rank;			/* that of no site: the symbol */
	unsigned long address;
	char name[KSYM_SYMBOL_LEN];
	bool hidden;
	struct fentry_query query;
};

/* The first object with that id or a later one that has sites; NULL: none. */
static const struct extra_object *object_from(u32 id)
{
	const struct registry_state *state = registry_state();
	u32 i;

	for (i = 0; i < state->nr_objects; i++)
		if (state->objects[i]->id >= id && state->objects[i]->blobs.index.nr_sites)
			return state->objects[i];
	return NULL;
}

/* Returns false if the reader is being killed. RCU is not held for longer than one piece. */
static bool sites_pause(void)
{
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	return !fatal_signal_pending(current);
}

/* Moves to the position or the next that exists. */
static void *sites_settle(struct cursor *cursor, loff_t *pos)
{
	do {
		u32 id = *pos >> RANK_BITS;
		u32 distance, nr_sites;

		cursor->object = object_from(id);
		if (!cursor->object)
			return NULL;
		if (cursor->object->id != id)
			*pos = (loff_t)cursor->object->id << RANK_BITS;
		nr_sites = cursor->object->blobs.index.nr_sites;
		cursor->rank = *pos;
		if (cursor->rank < nr_sites)
			return cursor;
		distance = cursor->rank - nr_sites;
		cursor->address = other_symbol_from(cursor->object, &distance, cursor->name);
		cursor->rank = nr_sites + distance;
		*pos = (loff_t)cursor->object->id << RANK_BITS | cursor->rank;
		if (cursor->address)
			return cursor;
		if (distance == OTHER_SYMBOL_NONE)
			*pos = ((loff_t)cursor->object->id + 1) << RANK_BITS;
	} while (sites_pause());
	return ERR_PTR(-EINTR);
}

static void *sites_start(struct seq_file *seq, loff_t *pos)
	__acquires(RCU)
{
	rcu_read_lock();
	return sites_settle(seq->private, pos);
}

/* Seeking passes over all lines in one call. */
static void *sites_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return sites_pause() ? sites_settle(seq->private, pos) : ERR_PTR(-EINTR);
}

static void sites_stop(struct seq_file *seq, void *v)
	__releases(RCU)
{
	rcu_read_unlock();
}

/* Returns true if the symbol is one to which ftrace sends the currently traced functions. */
static bool is_tracer(unsigned long address, char *symbol)
{
	static const char *const tracers[] = {
		"ftrace_caller+", "ftrace_regs_caller+", "ftrace_trampoline+", "bpf_trampoline_",
		"0x",
	};
	u32 i;

	sprint_symbol(symbol, address);
	for (i = 0; i < ARRAY_SIZE(tracers); i++)
		if (strstarts(symbol, tracers[i]))
			return true;
	return false;
}

/*
 * The call of an attached tracer may replace the NOP. A function that is inline in the source is
 * notrace, also where it has a body.
 */
static bool is_traceable(unsigned long address, char *symbol)
{
	unsigned long called;

	return arch_ftrace_entry(address, &called) &&
	       (!called || called == address || is_tracer(called, symbol));
}

static const char *why_not(const struct btf_extra_site *body, enum fentry_answer answer)
{
	if (body->flags & BTF_EXTRA_SITE_PART)
		return "-part";
	switch (answer) {
	case FENTRY_SEVERAL:
		return "-several-bodies";
	case FENTRY_ABI:
		return "-arguments";
	case FENTRY_NO_TEXT:
		return "-no-text";
	default:
		return "-no-btf";
	}
}

/* Shows the symbol of a body, and the id that attaches to exactly this address. */
static void show_attach(struct seq_file *seq, struct cursor *cursor,
			const struct btf_extra_site *body)
{
	struct fentry_query *query = &cursor->query;
	enum fentry_answer answer;
	bool named;
	u32 id;

	query->object = cursor->object;
	query->strict = fentry_hook_strict();
	id = fentry_id_of_body(query, body, &answer);
	named = body->address && query->symbol_at(body->address, query->symbol);
	seq_printf(seq, "\t%s\t", named ? query->symbol : "-");
	if (id && !is_traceable(body->address, query->symbol))
		seq_puts(seq, "-notrace");
	else if (id)
		seq_printf(seq, "%s:%u", fentry_btf_name(query->object, id), id);
	else
		seq_puts(seq, why_not(body, answer));
}

static void show_symbol(struct seq_file *seq, const struct cursor *cursor)
{
	seq_printf(seq, "%016lx s %s\t[%s] 0 -\t%s\t%s\n", cursor->hidden ? 0 : cursor->address,
		   cursor->name, cursor->object->name, cursor->name,
		   other_symbol_is_part(cursor->name) ? "-part" : "-no-site");
}

static void show_site(struct seq_file *seq, struct cursor *cursor)
{
	const struct extra_object *object = cursor->object;
	const u32 number = object->blobs.index.by_offset[cursor->rank];
	const struct found_site found = site_query_site(&object->tables, number);
	const struct btf_extra_site described = site_query_describe(object, &found);
	const char *file = extra_object_func_file(object, described.func_id);

	seq_printf(seq, "%016llx %c %s\t[%s] %u %s", cursor->hidden ? 0 : described.address,
		   described.site_class == BTF_EXTRA_CLASS_INLINE ? 'i' : 't',
		   extra_object_func_name(object, described.func_id), object->name,
		   described.func_id, file ?: "-");
	if (described.site_class == BTF_EXTRA_CLASS_BODY)
		show_attach(seq, cursor, &described);
	seq_putc(seq, '\n');
}

static int sites_show(struct seq_file *seq, void *v)
{
	struct cursor *cursor = v;

	if (cursor->rank < cursor->object->blobs.index.nr_sites)
		show_site(seq, cursor);
	else
		show_symbol(seq, cursor);
	return 0;
}

static const struct seq_operations sites_operations = {
	.start = sites_start,
	.next = sites_next,
	.stop = sites_stop,
	.show = sites_show,
};

static int sites_open(struct inode *inode, struct file *file)
{
	struct cursor *cursor = __seq_open_private(file, &sites_operations, sizeof(*cursor));

	if (!cursor)
		return -ENOMEM;
	cursor->hidden = !address_view_allowed();
	cursor->query.symbol_at = kernel_symbol_at;
	return 0;
}

static const struct file_operations sites_file_operations = {
	.owner = THIS_MODULE,
	.open = sites_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

void sites_file_create(struct dentry *folder)
{
	debugfs_create_file("sites", 0400, folder, NULL, &sites_file_operations);
}
