// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "objects/object_registry.h"
#include "objects/published_objects.h"
#include "sources/carried_source.h"
#include "sources/firmware_source.h"
#include "sources/module_follower.h"

/* The blobs in a module have precedence over those of the firmware folder. */
static void add_module(const struct module *module, struct load_tally *tally)
{
	struct object_source source;

	if (carried_source(module, &source))
		published_count(&source, tally);
	else
		firmware_source_add(module->name, module, tally);
}

/*
 * A module that has announced itself and does not live yet. Its blobs have already been tried, so
 * that a refusal is in dmesg only once. If there is no memory for the note, they may be tried
 * twice.
 */
struct coming_module {
	struct list_head node;
	const struct module *module;
};

static LIST_HEAD(coming_modules);
static DEFINE_MUTEX(coming_lock);

static void note_coming(const struct module *module)
{
	struct coming_module *coming = kmalloc(sizeof(*coming), GFP_KERNEL);

	if (!coming)
		return;
	coming->module = module;
	list_add(&coming->node, &coming_modules);
}

/* Forgets a module. Returns true if it was noted. */
static bool was_coming(const struct module *module)
{
	struct coming_module *coming;

	list_for_each_entry(coming, &coming_modules, node) {
		if (coming->module != module)
			continue;
		list_del(&coming->node);
		kfree(coming);
		return true;
	}
	return false;
}

/* Returns true if a module that was noted goes on. */
static bool follow_coming(const struct module *module, unsigned long event)
{
	bool seen;

	mutex_lock(&coming_lock);
	seen = was_coming(module);
	if (event == MODULE_STATE_COMING)
		note_coming(module);
	mutex_unlock(&coming_lock);
	return seen;
}

/* A module without an object waits for no lock that is held while tables are checked. */
static int follow_module(struct notifier_block *block, unsigned long event, void *data)
{
	const struct module *module = data;
	const bool seen = follow_coming(module, event);
	struct load_tally tally = {};

	/* One that came before the notifier was registered is seen when it lives. */
	if (event == MODULE_STATE_COMING || (event == MODULE_STATE_LIVE && !seen))
		add_module(module, &tally);
	if (!published_has(module->name))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_LIVE)
		registry_forget_init(module);
	if (event == MODULE_STATE_GOING) {
		published_lock();
		published_remove(module->name, module);
		published_unlock();
	}
	return NOTIFY_DONE;
}

static struct notifier_block module_follower = {
	.notifier_call = follow_module,
	.priority = -1,		/* after BTF's notifier, which puts a module's BTF into sysfs */
};

/* Takes references to the first @capacity modules that live. Returns how many live. */
static u32 hold_modules(struct module **modules, u32 capacity)
{
	struct kset *all = THIS_MODULE->mkobj.kobj.kset;
	struct kobject *kobj;
	u32 nr = 0;

	spin_lock(&all->list_lock);
	list_for_each_entry(kobj, &all->list, entry) {
		struct module *module = container_of(kobj, struct module_kobject, kobj)->mod;

		if (!module || module->state != MODULE_STATE_LIVE)
			continue;
		if (nr < capacity && !try_module_get(module))
			continue;
		if (nr < capacity)
			modules[nr] = module;
		nr++;
	}
	spin_unlock(&all->list_lock);
	return nr;
}

/*
 * Adds the modules that were loaded before this one. The notifier handles those that come
 * meanwhile.
 */
static void add_living_modules(struct load_tally *tally)
{
	u32 capacity = hold_modules(NULL, 0);
	struct module **modules = kvcalloc(capacity + 1, sizeof(*modules), GFP_KERNEL);
	u32 nr, i;

	if (!modules) {
		pr_err("out of memory for the list of modules\n");
		return;
	}
	nr = min(hold_modules(modules, capacity), capacity);
	for (i = 0; i < nr; i++) {
		add_module(modules[i], tally);
		module_put(modules[i]);
	}
	kvfree(modules);
}

int module_follower_start(struct load_tally *tally)
{
	int err = register_module_notifier(&module_follower);

	if (!err)
		add_living_modules(tally);
	return err;
}

void module_follower_stop(void)
{
	struct coming_module *coming, *next;

	unregister_module_notifier(&module_follower);
	list_for_each_entry_safe(coming, next, &coming_modules, node)
		kfree(coming);
}
