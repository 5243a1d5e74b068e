// SPDX-License-Identifier: GPL-2.0
#include <linux/bpf_attach_address.h>
#include <linux/bpf_verifier.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "address_view.h"
#include "fentry_hook.h"
#include "fentry_report.h"
#include "kernel_symbol.h"
#include "object_registry.h"

static bool strict;
module_param(strict, bool, 0600);
MODULE_PARM_DESC(strict, "Refuse ids of the kernel's own BTF whose name has several bodies");

bool fentry_hook_strict(void)
{
	return READ_ONCE(strict);
}

/* The object that knows the ids of a module's BTF; NULL: vmlinux's. */
static const struct extra_object *find_object(const struct module *module, u32 func_id)
{
	const struct registry_state *state = registry_state();
	u32 i;

	for (i = 0; i < state->nr_objects; i++) {
		const struct extra_object *object = state->objects[i];

		if (object->module == module && (module || func_id < object->first_own_id))
			return object;
		/* The base's ids through the BTF of the data module: nothing has them there. */
		if (module && object->types_module == module && func_id >= object->first_own_id)
			return object;
	}
	return NULL;
}

static void log_line(const char *line, void *data)
{
	bpf_log(data, "%s\n", line);
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

struct question {
	struct fentry_query query;
	struct fentry_report report;
};

static int answer(struct question *question, const struct module *module, u32 func_id,
		  struct bpf_verifier_log *log, unsigned long *addr)
{
	const struct fentry_report *report = &question->report;
	const struct fentry_target *target = &report->target;

	question->query.symbol_at = kernel_symbol_at;
	question->query.strict = fentry_hook_strict();
	rcu_read_lock();
	question->query.object = find_object(module, func_id);
	if (question->query.object)
		fentry_report_fill(&question->report, &question->query, func_id);
	rcu_read_unlock();
	if (!question->query.object)
		return 0;
	if (log && log->level & BPF_LOG_LEVEL)
		fentry_report_tell(report, address_view_allowed(), log_line, log);
	if (!report->accepted)
		return error_of(target->answer);
	if (target->answer != FENTRY_ADDRESS)
		return 0;
	/* What is left of a module's init when it lives is not for long. */
	if (module && within_module_init(target->address, module))
		return -ENOENT;
	*addr = target->address;
	return 1;
}

static int find(const struct btf *btf, const struct module *module, u32 func_id, const char *name,
		struct bpf_verifier_log *log, unsigned long *addr)
{
	/* More than a stack holds, and verifying programs is no place to wait for memory. */
	static struct question question;
	static DEFINE_MUTEX(lock);
	int ret;

	mutex_lock(&lock);
	ret = answer(&question, module, func_id, log, addr);
	mutex_unlock(&lock);
	return ret;
}

static const struct bpf_attach_address_ops ops = {
	.find = find,
};

int fentry_hook_init(void)
{
	return bpf_register_attach_address(&ops);
}

void fentry_hook_exit(void)
{
	bpf_unregister_attach_address(&ops);
}
