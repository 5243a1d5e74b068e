// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/crc32.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kloc/bpf_active.h"
#include "phantoms/phantom.h"
#include "phantoms/phantom_arming.h"
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
	struct phantom_set set;			/* a phantom for each stub */
	struct phantom_files files;
};

static LIST_HEAD(modules);

/* ---- modules of stubs ---- */

/* These return the reason for a refusal, whose error is another than -EINVAL. */
static const char *stubs_refuse(struct phantom_module *module, const char *wrong, int error)
{
	module->error = error;
	return wrong;
}

static const char *refuse_for_memory(struct phantom_module *module)
{
	return stubs_refuse(module, "out of memory", -ENOMEM);
}

static void module_free(struct phantom_module *module)
{
	u32 i;

	if (!module)
		return;
	for (i = 0; i < module->set.nr_phantoms; i++)
		free_percpu(module->set.phantoms[i].target.counts);
	kvfree(module->set.phantoms);
	kvfree(module->states);
	kvfree(module->objects);
	kvfree(module->table);
	kfree(module);
}

/* The end of a table depends on its sizes, so it is read with copy_from_kernel_nofault(). */
static const char *copy_table(struct phantom_module *module, const struct phantom_table *table)
{
	const u32 head = offsetofend(struct phantom_table, crc32);
	struct phantom_table header;
	void *copy;

	if (copy_from_kernel_nofault(&header, table, sizeof(header)))
		return "its table cannot be read";
	if (!header.size)
		return "it is the template; use btf-extra expose";
	if (header.size < sizeof(header) || header.size > PHANTOM_TABLE_MAX)
		return "invalid table size";
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
			return "it was made for the tables of another kernel";
	}
	return NULL;
}

static const char *fill_phantoms(struct phantom_module *module, const unsigned long *stubs)
{
	const struct phantom_func *func = module->parts.funcs;
	const char *wrong = NULL;
	u32 i, k;

	for (i = 0; i < module->set.nr_phantoms; i++) {
		struct phantom *phantom = &module->set.phantoms[i];

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

static const char *stubs_fill(struct phantom_module *module, const struct phantom_table *table,
			      const unsigned long *stubs)
{
	const char *wrong = copy_table(module, table);

	if (wrong)
		return wrong;
	module->objects = kvcalloc(module->parts.nr_objects, sizeof(*module->objects), GFP_KERNEL);
	module->states = kvcalloc(module->parts.nr_funcs, sizeof(*module->states), GFP_KERNEL);
	module->set.phantoms = kvcalloc(module->parts.nr_stubs, sizeof(*module->set.phantoms),
					GFP_KERNEL);
	if (!module->objects || !module->states || !module->set.phantoms)
		return refuse_for_memory(module);
	module->set.nr_phantoms = module->parts.nr_stubs;
	return fill_objects(module) ?: fill_phantoms(module, stubs);
}

/* Both lists are in order. */
static bool shares_a_name(const struct phantom_module *a, const struct phantom_module *b)
{
	u32 i = 0, k = 0;

	while (i < a->set.nr_phantoms && k < b->set.nr_phantoms) {
		int order = strcmp(a->set.phantoms[i].name, b->set.phantoms[k].name);

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
			return "it already has stubs";
		if (shares_a_name(module, added))
			return "another module has a stub of the same name";
	}
	return NULL;
}

/* Modules come and go one at a time. Readers of their files take phantoms_lock() as well. */
static DEFINE_MUTEX(modules_lock);

static const char *stubs_publish(struct phantom_module *added)
{
	const char *wrong = check_names(added);
	int err;

	if (wrong)
		return wrong;
	if (list_empty(&modules) && phantom_watch_begin(phantom_arming_wake))
		return stubs_refuse(added,
				    "no kernel function is known that ftrace calls after a change",
				    -EOPNOTSUPP);
	err = phantom_files_add(&added->files, added->module, added->table, &added->set);
	if (!err) {
		phantoms_lock();
		phantom_arming_add(&added->set);
		list_add_tail_rcu(&added->list, &modules);
		phantoms_unlock();
		return NULL;
	}
	if (list_empty(&modules))
		phantom_watch_end();
	return stubs_refuse(added, "it cannot be shown in sysfs", err);
}

/* Returns NULL if stubs may have probes that call BPF programs. */
static const char *check_kernel(struct phantom_module *added)
{
	int err = security_locked_down(LOCKDOWN_KPROBES) ?:
		  security_locked_down(LOCKDOWN_BPF_READ_KERNEL);

	if (err)
		return stubs_refuse(added, "the kernel is locked down", err);
	return bpf_active ? NULL :
	       stubs_refuse(added, "the kernel's bpf_prog_active was not found", -ENODEV);
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
	wrong = check_kernel(added) ?: stubs_fill(added, table, stubs);
	if (!wrong) {
		mutex_lock(&modules_lock);
		wrong = stubs_publish(added);
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

	mutex_lock(&modules_lock);
	gone = find_module_of(module);
	if (gone) {
		phantom_files_remove(&gone->files);
		phantoms_lock();
		phantom_arming_remove(&gone->set);
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
		for (i = 0; i < module->set.nr_phantoms && !found->whole; i++) {
			const struct phantom *phantom = &module->set.phantoms[i];
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
	int err = phantom_files_init();

	if (err)
		return err;
	err = phantom_arming_init();
	if (err)
		phantom_files_exit();
	return err;
}

void phantom_modules_exit(void)
{
	phantom_arming_exit();
	phantom_files_exit();
}
