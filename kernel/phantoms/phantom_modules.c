// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/crc32.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "kloc/bpf_active.h"
#include "objects/object_registry.h"
#include "phantoms/phantom_files.h"
#include "phantoms/phantom_modules.h"
#include "phantoms/phantom_watch.h"

struct phantom_module {
	struct list_head list;
	struct module *module;
	int error;				/* why it is refused */
	const struct phantom_table *table;	/* a copy */
	struct phantom_parts parts;
	struct phantom_object_state *objects;	/* [parts.nr_objects] */
	struct phantom_func_state *states;	/* [parts.nr_funcs] */
	struct phantom *phantoms;		/* [parts.nr_stubs] */
	struct phantom_files files;
};

/* A tracer that attaches to every function is not to arm every site of every stub. */
static unsigned int max_phantoms = 512;
module_param(max_phantoms, uint, 0600);
MODULE_PARM_DESC(max_phantoms, "How many phantom functions are armed at most");
static unsigned int max_phantom_probes = 16384;
module_param(max_phantom_probes, uint, 0600);
MODULE_PARM_DESC(max_phantom_probes, "How many probes they have at most, all together");

static DEFINE_MUTEX(lock);
static LIST_HEAD(modules);
static struct workqueue_struct *workqueue;

void phantoms_lock(void)
{
	mutex_lock(&lock);
}

void phantoms_unlock(void)
{
	mutex_unlock(&lock);
}

/* ---- what is attached is armed ---- */

/* A pass over all phantoms collects what it finds out, and what there is still room for. */
struct pass {
	u32 phantoms, probes;	/* how many more of each may be armed */
	u32 nr_new;		/* wanted, and not armed yet */
	bool again;		/* some code is being changed */
	struct list_head gone;	/* to be disarmed */
};

static void for_all(void (*fn)(struct phantom *phantom, struct pass *pass), struct pass *pass)
{
	struct phantom_module *module;
	u32 i;

	list_for_each_entry(module, &modules, list)
		for (i = 0; i < module->parts.nr_stubs; i++)
			fn(&module->phantoms[i], pass);
}

static void look(struct phantom *phantom, struct pass *pass)
{
	int attached = phantom_attached(phantom);

	if (attached < 0)
		pass->again = true;
	else
		phantom->wanted = attached || phantom->held;
	pass->nr_new += phantom->wanted && !phantom->armed;
}

static void disarm_unwanted(struct phantom *phantom, struct pass *pass)
{
	if (phantom->wanted)
		return;
	phantom->waiting = false;
	if (phantom->armed)
		list_add_tail(&phantom->gone, &pass->gone);
}

static void take_room(struct phantom *phantom, struct pass *pass)
{
	if (!phantom->armed)
		return;
	pass->phantoms -= min(pass->phantoms, 1u);
	pass->probes -= min(pass->probes, phantom_nr_probes(phantom));
}

static void find_room(struct pass *pass)
{
	pass->phantoms = READ_ONCE(max_phantoms);
	pass->probes = READ_ONCE(max_phantom_probes);
	for_all(take_room, pass);
}

/* New ones are armed if all of them are within the limit. The others may have new objects. */
static void arm_wanted(struct phantom *phantom, struct pass *pass)
{
	u32 before = phantom_nr_probes(phantom);
	u32 added;

	if (!phantom->wanted)
		return;
	if (!phantom->armed && pass->nr_new > pass->phantoms) {
		phantom->waiting = true;
		return;
	}
	phantom->waiting = phantom_arm(phantom, pass->probes) == -ENOSPC;
	added = max(phantom_nr_probes(phantom), before) - before;
	pass->probes -= min(pass->probes, added);
	cond_resched();
}

static void scan(struct work_struct *work)
{
	struct pass pass = { .gone = LIST_HEAD_INIT(pass.gone) };

	phantoms_lock();
	for_all(look, &pass);
	for_all(disarm_unwanted, &pass);
	phantom_disarm_all(&pass.gone);
	find_room(&pass);
	for_all(arm_wanted, &pass);
	phantoms_unlock();
	if (pass.again)
		queue_delayed_work(workqueue, to_delayed_work(work), 1);
}

static DECLARE_DELAYED_WORK(scan_work, scan);

static void something_changed(void)
{
	mod_delayed_work(workqueue, &scan_work, 0);
}

int phantoms_hold(struct phantom *phantom, bool hold)
{
	struct pass pass;
	int err = 0;

	phantoms_lock();
	find_room(&pass);
	if (hold && !phantom->armed)
		err = pass.phantoms ? phantom_arm(phantom, pass.probes) : -ENOSPC;
	if (!err)
		phantom->held = hold;
	phantoms_unlock();
	something_changed();
	return err;
}

/* ---- modules of stubs ---- */

/* These return the reason for a refusal, whose error is another than -EINVAL. */
static const char *refuse(struct phantom_module *module, const char *wrong, int error)
{
	module->error = error;
	return wrong;
}

static const char *refuse_for_memory(struct phantom_module *module)
{
	return refuse(module, "out of memory", -ENOMEM);
}

static void module_free(struct phantom_module *module)
{
	u32 i;

	if (!module)
		return;
	for (i = 0; module->phantoms && i < module->parts.nr_stubs; i++)
		free_percpu(module->phantoms[i].target.counts);
	kvfree(module->phantoms);
	kvfree(module->states);
	kvfree(module->objects);
	kvfree(module->table);
	kfree(module);
}

/* The sizes in a table say where it ends, so nothing is believed that cannot be read. */
static const char *copy_table(struct phantom_module *module, const struct phantom_table *table)
{
	const u32 head = offsetofend(struct phantom_table, crc32);
	struct phantom_table header;
	void *copy;

	if (copy_from_kernel_nofault(&header, table, sizeof(header)))
		return "its table cannot be read";
	if (!header.size)
		return "it is the template; btf-extra expose makes modules of it";
	if (header.size < sizeof(header) || header.size > PHANTOM_TABLE_MAX)
		return "its table has no possible size";
	copy = kvmalloc(header.size, GFP_KERNEL);
	if (!copy)
		return refuse_for_memory(module);
	module->table = copy;
	if (copy_from_kernel_nofault(copy, table, header.size))
		return "its table cannot be read";
	if (~crc32_le(~0, copy + head, header.size - head) != header.crc32)
		return "its table was changed";
	return phantom_table_open(copy, header.size, &module->parts);
}

static const char *fill_objects(struct phantom_module *module)
{
	u32 i;

	for (i = 0; i < module->parts.nr_objects; i++) {
		struct phantom_object_state *object = &module->objects[i];

		object->wanted = &module->parts.objects[i];
		object->name = module->parts.strings + object->wanted->name;
		if (!phantom_object_id(object))
			return "it is made for other tables than those of this kernel";
	}
	return NULL;
}

static const char *fill_phantoms(struct phantom_module *module, const unsigned long *stubs)
{
	const struct phantom_func *func = module->parts.funcs;
	const char *wrong = NULL;
	u32 i, k;

	for (i = 0; i < module->parts.nr_stubs; i++) {
		struct phantom *phantom = &module->phantoms[i];

		phantom->name = module->parts.strings + module->parts.stubs[i].name;
		phantom->target.stub = stubs[i];
		phantom->target.counts = alloc_percpu(struct kloc_counts);
		if (!phantom->target.counts)
			return refuse_for_memory(module);
		phantom->funcs = func;
		phantom->nr_funcs = module->parts.stubs[i].nr_funcs;
		phantom->states = &module->states[func - module->parts.funcs];
		phantom->objects = module->objects;
		for (k = 0; !wrong && k < phantom->nr_funcs; k++, func++)
			wrong = phantom_refused(func, module->objects[func->object].fits);
		if (wrong)
			return wrong;
	}
	return NULL;
}

static const char *fill(struct phantom_module *module, const struct phantom_table *table,
			const unsigned long *stubs)
{
	const char *wrong = copy_table(module, table);

	if (wrong)
		return wrong;
	module->objects = kvcalloc(module->parts.nr_objects, sizeof(*module->objects), GFP_KERNEL);
	module->states = kvcalloc(module->parts.nr_funcs, sizeof(*module->states), GFP_KERNEL);
	module->phantoms = kvcalloc(module->parts.nr_stubs, sizeof(*module->phantoms), GFP_KERNEL);
	if (!module->objects || !module->states || !module->phantoms)
		return refuse_for_memory(module);
	return fill_objects(module) ?: fill_phantoms(module, stubs);
}

/* Both lists are in order. */
static bool shares_a_name(const struct phantom_module *a, const struct phantom_module *b)
{
	u32 i = 0, k = 0;

	while (i < a->parts.nr_stubs && k < b->parts.nr_stubs) {
		int order = strcmp(a->phantoms[i].name, b->phantoms[k].name);

		if (!order)
			return true;
		i += order < 0;
		k += order > 0;
	}
	return false;
}

static const char *check_names(const struct phantom_module *added)
{
	const struct phantom_module *module;

	list_for_each_entry(module, &modules, list) {
		if (module->module == added->module)
			return "it has stubs already";
		if (shares_a_name(module, added))
			return "another module has a stub of the same name";
	}
	return NULL;
}

/* Modules come and go one at a time. The other lock is also taken by readers of their files. */
static DEFINE_MUTEX(modules_lock);

static const char *publish(struct phantom_module *added)
{
	const char *wrong = check_names(added);
	int err;

	if (wrong)
		return wrong;
	if (list_empty(&modules) && phantom_watch_begin(something_changed))
		return refuse(added,
			      "the kernel has no function whose probe tells when ftrace changes code",
			      -EOPNOTSUPP);
	err = phantom_files_add(&added->files, added->module, added->table, added->phantoms,
				added->parts.nr_stubs);
	if (!err) {
		phantoms_lock();
		list_add_tail_rcu(&added->list, &modules);
		phantoms_unlock();
		return NULL;
	}
	if (list_empty(&modules))
		phantom_watch_end();
	return refuse(added, "it cannot be shown in sysfs", err);
}

/* Returns NULL if stubs may have probes that call BPF programs. */
static const char *check_kernel(struct phantom_module *added)
{
	int err = security_locked_down(LOCKDOWN_KPROBES) ?:
		  security_locked_down(LOCKDOWN_BPF_READ_KERNEL);

	if (err)
		return refuse(added, "the kernel is locked down", err);
	return bpf_active ? NULL :
	       refuse(added, "the kernel's bpf_prog_active was not found", -ENODEV);
}

int btf_extra_add_phantoms(struct module *module, const struct phantom_table *table,
			   const unsigned long stubs[PHANTOM_STUBS])
{
	struct phantom_module *added = kzalloc(sizeof(*added), GFP_KERNEL);
	const char *wrong;
	int err;

	if (!added)
		return -ENOMEM;
	added->module = module;
	added->error = -EINVAL;
	wrong = check_kernel(added) ?: fill(added, table, stubs);
	if (!wrong) {
		mutex_lock(&modules_lock);
		wrong = publish(added);
		mutex_unlock(&modules_lock);
	}
	if (!wrong)
		return 0;
	err = added->error;
	pr_err("%s: refused: %s\n", module->name, wrong);
	module_free(added);
	return err;
}
EXPORT_SYMBOL_GPL(btf_extra_add_phantoms);

static struct phantom_module *find_module_of(const struct module *module)
{
	struct phantom_module *found;

	list_for_each_entry(found, &modules, list)
		if (found->module == module)
			return found;
	return NULL;
}

/* Any module with a GPL licence can call this, also one that has added nothing. */
void btf_extra_remove_phantoms(struct module *module)
{
	struct phantom_module *gone;
	LIST_HEAD(phantoms);
	u32 i;

	mutex_lock(&modules_lock);
	gone = find_module_of(module);
	if (gone) {
		phantom_files_remove(&gone->files);
		phantoms_lock();
		for (i = 0; i < gone->parts.nr_stubs; i++)
			list_add_tail(&gone->phantoms[i].gone, &phantoms);
		phantom_disarm_all(&phantoms);
		list_del_rcu(&gone->list);
		phantoms_unlock();
		synchronize_rcu();
		if (list_empty(&modules))
			phantom_watch_end();
	}
	mutex_unlock(&modules_lock);
	module_free(gone);
}
EXPORT_SYMBOL_GPL(btf_extra_remove_phantoms);

/* ---- who attaches to what a stub stands for ---- */

static const struct phantom_func *find_func(const struct phantom *phantom,
					    const struct extra_object *object, u32 func_id)
{
	u32 i;

	for (i = 0; i < phantom->nr_funcs; i++) {
		const struct phantom_func *func = &phantom->funcs[i];

		if (func->func_id == func_id &&
		    READ_ONCE(phantom->objects[func->object].fits) == object->id)
			return func;
	}
	return NULL;
}

bool phantom_of_func(const struct extra_object *object, u32 func_id, struct phantom_found *found)
{
	const struct phantom_module *module;
	u32 i;

	*found = (struct phantom_found){};
	list_for_each_entry_rcu(module, &modules, list) {
		for (i = 0; i < module->parts.nr_stubs && !found->whole; i++) {
			const struct phantom *phantom = &module->phantoms[i];
			const struct phantom_func *func = find_func(phantom, object, func_id);

			if (!func)
				continue;
			*found = (struct phantom_found){
				.name = phantom->name,
				.address = phantom->target.stub,
				.module = module->module,
				.whole = !func->without,
			};
		}
	}
	return found->name;
}

static bool all_compared(void)
{
	const struct phantom_module *module;
	bool all = true;
	u32 i;

	rcu_read_lock();
	list_for_each_entry_rcu(module, &modules, list)
		for (i = 0; i < module->parts.nr_objects; i++)
			all &= phantom_object_compared(&module->objects[i]);
	rcu_read_unlock();
	return all;
}

void phantom_modules_compare(void)
{
	const struct phantom_module *module;
	u32 i;

	if (all_compared())
		return;
	phantoms_lock();
	list_for_each_entry(module, &modules, list)
		for (i = 0; i < module->parts.nr_objects; i++)
			phantom_object_id(&module->objects[i]);
	phantoms_unlock();
}

/* ---- the module btf_extra ---- */

int phantom_modules_init(void)
{
	int err;

	workqueue = alloc_workqueue("btf_extra", WQ_UNBOUND, 1);
	if (!workqueue)
		return -ENOMEM;
	err = phantom_files_init();
	if (err)
		destroy_workqueue(workqueue);
	else
		registry_watch(something_changed);
	return err;
}

void phantom_modules_exit(void)
{
	registry_watch(NULL);
	cancel_delayed_work_sync(&scan_work);
	destroy_workqueue(workqueue);
	phantom_files_exit();
}
