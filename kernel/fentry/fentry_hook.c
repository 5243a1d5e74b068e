// SPDX-License-Identifier: GPL-2.0
#include <linux/bpf_attach_address.h>
#include <linux/bpf_verifier.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "fentry/fentry_complete.h"
#include "fentry/fentry_hook.h"
#include "fentry/fentry_report.h"
#include "objects/kernel_symbol.h"
#include "objects/object_registry.h"
#include "phantoms/phantom_modules.h"
#include "query/address_view.h"

static bool strict;
module_param(strict, bool, 0600);
MODULE_PARM_DESC(strict, "Refuse ids of the kernel's own BTF whose name has several bodies");

bool fentry_hook_strict(void)
{
	return READ_ONCE(strict);
}

/*
 * The object that knows the ids of a module's BTF; NULL: vmlinux's. The base of a module's tables
 * on a distilled base is only vmlinux BTF: their own ids are also in the module's BTF, and name
 * other functions there.
 */
static const struct extra_object *hook_find_object(const struct module *module, u32 func_id)
{
	const struct registry_state *state = registry_state();
	u32 i;

	for (i = 0; i < state->nr_objects; i++) {
		const struct extra_object *object = state->objects[i];

		if (object->module == module && func_id < object->blobs.first_own_id)
			return object;
		/* Ids of the base in the BTF of the data module are invalid. */
		if (module && object->types_module == module &&
		    func_id >= object->blobs.first_own_id)
			return object;
	}
	return NULL;
}

static int error_of(enum fentry_answer answer)
{
	switch (answer) {
	case FENTRY_SEVERAL:
		return -ENOTUNIQ;
	case FENTRY_ABI:
		return -EOPNOTSUPP;
	default:
		return -ENOENT;
	}
}

/* ---- the log ---- */

/* Is called under RCU, where writing to the log would sleep. A line without memory is left out. */
static void append_line(const char *line, void *data)
{
	char **text = data;
	char *longer = kasprintf(GFP_ATOMIC, "%s%s\n", *text ?: "", line);

	if (!longer)
		return;
	kfree(*text);
	*text = longer;
}

/* bpf_log() cuts off what is longer than BPF_VERIFIER_TMP_LOG_SIZE. */
static void write_log(struct bpf_verifier_log *log, const char *text)
{
	const int piece = BPF_VERIFIER_TMP_LOG_SIZE / 2;

	for (; *text; text += strnlen(text, piece))
		bpf_log(log, "%.*s", piece, text);
}

/* ---- the answer ---- */

/* Returns the values of the kernel's hook: 1 with *addr, 0: by name, or a negative errno. */
static int hook_decide(const struct fentry_query *query, const struct fentry_target *target,
		       const struct module *module, unsigned long *addr, struct module **owner)
{
	if (!fentry_target_accepted(query, target))
		return error_of(target->answer);
	if (target->answer != FENTRY_STUB && target->answer != FENTRY_ADDRESS)
		return 0;
	/* The text of a module's init is freed soon after the module is live. */
	if (module && within_module_init(target->address, module))
		return -ENOENT;
	/* Nothing fails after the reference is taken: the caller of the hook drops it. */
	if (target->answer == FENTRY_STUB) {
		if (!try_module_get(target->stub.module))
			return -ENOENT;
		*owner = target->stub.module;
	}
	*addr = target->address;
	return 1;
}

static int hook_answer(struct fentry_query *query, const struct module *module, u32 func_id,
		       struct bpf_verifier_log *log, unsigned long *addr, struct module **owner)
{
	bool report = log && log->level & BPF_LOG_LEVEL;
	bool addresses = report && address_view_allowed();
	struct fentry_target target;
	char *text = NULL;
	int ret = 0;

	rcu_read_lock();
	query->object = hook_find_object(module, func_id);
	if (query->object) {
		fentry_target_of(query, func_id, &target);
		ret = hook_decide(query, &target, module, addr, owner);
		if (report)
			fentry_report(query, func_id, &target, addresses, append_line, &text);
	}
	rcu_read_unlock();
	if (text)
		write_log(log, text);
	kfree(text);
	return ret;
}

/* A stub is called where its function begins, and returns at once, so fexit cannot use it. */
static bool is_fentry(const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_TRACING &&
	       prog->expected_attach_type == BPF_TRACE_FENTRY;
}

static int hook_find(const struct bpf_prog *prog, const struct module *module, u32 func_id,
		     struct bpf_verifier_log *log, unsigned long *addr, struct module **owner)
{
	/* More than a stack holds, and verifying programs is no place to wait for memory. */
	static struct fentry_query query;
	static DEFINE_MUTEX(lock);
	int ret;

	phantom_modules_compare();
	mutex_lock(&lock);
	query.symbol_at = kernel_symbol_at;
	query.stub_of = phantom_of_func;
	query.stubs = owner && is_fentry(prog);
	query.strict = fentry_hook_strict();
	query.complete = fentry_complete_of(prog);
	ret = hook_answer(&query, module, func_id, log, addr, owner);
	mutex_unlock(&lock);
	return ret;
}

static const struct bpf_attach_address_ops ops = {
	.find = hook_find,
	.linked = fentry_complete_linked,
	.unlinked = fentry_complete_unlinked,
};

int fentry_hook_init(void)
{
	return bpf_register_attach_address(&ops);
}

void fentry_hook_exit(void)
{
	bpf_unregister_attach_address(&ops);
	fentry_complete_exit();
}
