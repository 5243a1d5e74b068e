// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/btf_extra.h>
#include <linux/export.h>
#include <linux/firmware.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "blob_files.h"
#include "blob_source.h"
#include "kernel_compat.h"
#include "manifest.h"
#include "object_registry.h"
#include "query_device.h"
#include "running_kernel.h"

#define VMLINUX "vmlinux"

/* One change at a time: the manifest, the base BTF and each object, from its file to the tables. */
static DEFINE_MUTEX(source_lock);
static struct manifest manifest;

/* What one step has added, for its line in dmesg. */
struct tally {
	u32 nr_objects;
	u64 nr_funcs, nr_sites, bytes, ns;
};

static void count(struct tally *tally, const struct extra_object *object)
{
	tally->nr_objects++;
	tally->nr_funcs += object->index.nr_funcs;
	tally->nr_sites += object->index.nr_sites;
	tally->bytes += object->bytes;
	tally->ns += object->load_ns;
}

static void tell(const struct tally *tally)
{
	if (tally->nr_objects)
		pr_info("%u object%s: %llu functions, %llu sites, %llu bytes, %llu ms\n",
			tally->nr_objects, tally->nr_objects == 1 ? "" : "s", tally->nr_funcs,
			tally->nr_sites, tally->bytes, div_u64(tally->ns, NSEC_PER_MSEC));
}

/* ---- objects ---- */

static bool has_object(const char *name)
{
	bool found;

	rcu_read_lock();
	found = registry_named(registry_state(), name);
	rcu_read_unlock();
	return found;
}

static struct extra_object *add(const struct object_source *source,
				const struct object_host *host)
{
	struct extra_object *object = extra_object_create(source, host);
	int err;

	if (IS_ERR(object))
		return object;
	/* Before sysfs meets the name twice: it would tell with a stack trace. */
	err = has_object(source->name) ? -EEXIST : blob_files_add(object);
	if (!err) {
		err = registry_add(object);
		if (!err)
			return object;
		blob_files_remove(object);
	}
	pr_err("%s: refused: cannot be published (%d)\n", source->name, err);
	extra_object_destroy(object);
	return ERR_PTR(err);
}

static bool drop(const char *name, const struct module *module)
{
	struct extra_object *object = registry_remove(name, module);

	if (!object)
		return false;
	blob_files_remove(object);
	extra_object_destroy(object);
	return true;
}

int blob_source_add(const struct object_source *source, const struct object_host *host)
{
	struct extra_object *object;

	mutex_lock(&source_lock);
	object = add(source, host);
	mutex_unlock(&source_lock);
	return PTR_ERR_OR_ZERO(object);
}

bool blob_source_drop(const char *name, const struct module *module)
{
	bool found;

	mutex_lock(&source_lock);
	found = drop(name, module);
	mutex_unlock(&source_lock);
	return found;
}

/* ---- firmware ---- */

/* The file of this kernel with that name. */
static int request(const struct firmware **firmware, const char *name)
{
	char *path = kasprintf(GFP_KERNEL, "btf_extra/%s/%s", utsname()->release, name);
	int err;

	if (!path)
		return -ENOMEM;
	err = request_firmware_direct(firmware, path, query_device());
	kfree(path);
	return err;
}

/*
 * Where the firmware loader looks by itself. It cannot be asked quietly on every
 * kernel, and a folder of firmware_class.path is known to it alone: a link in one
 * of these serves.
 */
static const char *const firmware_folders[] = { "/lib/firmware/updates", "/lib/firmware" };

static bool manifest_exists(void)
{
	bool found = false;
	u32 i;

	for (i = 0; !found && i < ARRAY_SIZE(firmware_folders); i++) {
		char *name = kasprintf(GFP_KERNEL, "%s/btf_extra/%s/manifest",
				       firmware_folders[i], utsname()->release);
		struct path path;

		if (name && !kern_path(name, LOOKUP_FOLLOW, &path)) {
			found = true;
			path_put(&path);
		}
		kfree(name);
	}
	return found;
}

static void read_manifest(void)
{
	const struct firmware *file;
	u32 line;

	/* No folder for this kernel: the data module may be all there is. */
	if (!manifest_exists() || request(&file, "manifest"))
		return;
	if (manifest_parse(&manifest, file->data, file->size, &line))
		pr_err("manifest: line %u cannot be read; no firmware is asked for\n", line);
	release_firmware(file);
}

/* What the firmware folder has for an object, NULL: nothing. */
static struct extra_object *add_firmware(const char *name, const struct module *module)
{
	struct object_source source = { .name = name, .module = module };
	const struct firmware *file;
	struct extra_object *object;
	char path[MODULE_NAME_LEN + 16];

	if (!manifest_has(&manifest, name) || has_object(name))
		return NULL;
	snprintf(path, sizeof(path), "%s.btf_extra", name);
	if (request(&file, path)) {
		pr_err("%s: in the manifest, but its file cannot be read\n", name);
		return NULL;
	}
	source.image = file->data;
	source.image_size = file->size;
	object = add(&source, &running_kernel);
	release_firmware(file);
	return IS_ERR(object) ? NULL : object;
}

/* ---- modules ---- */

/*
 * What a module carries in itself: its BTF has our types already, so their blob is
 * an empty one. All of it stays where it is as long as the module.
 */
static bool carried_source(const struct module *module, struct object_source *source)
{
	/* Magic and version, 24 bytes of header, neither types nor strings. */
	static const u32 no_types[] = { BTF_MAGIC | BTF_VERSION << 16, 24, 0, 0, 0, 0 };
	const struct module_bytes func_info = module_func_info(module);
	const struct module_bytes rest = module_btf_extra(module);

	if (!func_info.data || !rest.data)
		return false;
	*source = (struct object_source){
		.name = module->name,
		.module = module,
		.image = rest.data,
		.image_size = rest.size,
		.types = { .data = no_types, .size = sizeof(no_types) },
		.func_info = { .data = func_info.data, .size = func_info.size },
		.types_module = module,
		.keep = true,
	};
	return true;
}

/* What it carries, or else what the firmware folder has for it; NULL: nothing. */
static struct extra_object *add_module(const struct module *module)
{
	struct object_source source;
	struct extra_object *object;

	if (!carried_source(module, &source))
		return add_firmware(module->name, module);
	if (has_object(module->name))
		return NULL;
	object = add(&source, &running_kernel);
	return IS_ERR(object) ? NULL : object;
}

/*
 * Modules that we saw coming and that do not live yet: what became of them is
 * settled, and told once. Without memory for it one may be tried, and refused, twice.
 */
struct coming_module {
	struct list_head node;
	const struct module *module;
};

static LIST_HEAD(coming_modules);

static void note_coming(const struct module *module)
{
	struct coming_module *coming = kmalloc(sizeof(*coming), GFP_KERNEL);

	if (!coming)
		return;
	coming->module = module;
	list_add(&coming->node, &coming_modules);
}

/* Forgets a module. Whether we saw it coming. */
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

static int follow_module(struct notifier_block *block, unsigned long event, void *data)
{
	const struct module *module = data;

	mutex_lock(&source_lock);
	switch (event) {
	case MODULE_STATE_COMING:
		note_coming(module);
		add_module(module);
		break;
	case MODULE_STATE_LIVE:
		/* One that came before we looked is seen only now. */
		if (!was_coming(module))
			add_module(module);
		registry_forget_init(module);
		break;
	case MODULE_STATE_GOING:
		was_coming(module);
		drop(module->name, module);
		break;
	}
	mutex_unlock(&source_lock);
	return NOTIFY_DONE;
}

static struct notifier_block module_follower = {
	.notifier_call = follow_module,
	.priority = -1,		/* after BTF's own, which puts a module's BTF into sysfs */
};

/* Those that live, each held by a reference. Their number; the first capacity are written. */
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

/* Those that were here before us. More may come meanwhile: these tell of themselves. */
static void add_living_modules(struct tally *tally)
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
		struct extra_object *object;

		mutex_lock(&source_lock);
		object = add_module(modules[i]);
		if (object)
			count(tally, object);
		mutex_unlock(&source_lock);
		module_put(modules[i]);
	}
	kvfree(modules);
}

int blob_source_init(void)
{
	struct extra_object *object;
	struct tally tally = {};
	int err;

	mutex_lock(&source_lock);
	read_manifest();
	object = add_firmware(VMLINUX, NULL);
	if (object)
		count(&tally, object);
	mutex_unlock(&source_lock);
	err = register_module_notifier(&module_follower);
	if (err) {
		blob_source_exit();
		return err;
	}
	add_living_modules(&tally);
	tell(&tally);
	return 0;
}

void blob_source_exit(void)
{
	const struct registry_state *state;
	struct coming_module *coming, *next;
	struct extra_object *object;

	unregister_module_notifier(&module_follower);
	mutex_lock(&source_lock);
	list_for_each_entry_safe(coming, next, &coming_modules, node)
		was_coming(coming->module);
	for (;;) {
		rcu_read_lock();
		state = registry_state();
		object = state->nr_objects ? state->objects[state->nr_objects - 1] : NULL;
		rcu_read_unlock();
		/* Nobody but us takes objects away now. */
		if (!object)
			break;
		drop(object->name, object->module);
	}
	registry_exit();
	running_kernel_exit();
	manifest_free(&manifest);
	mutex_unlock(&source_lock);
}

/* ---- the data module ---- */

/* Whose blobs vmlinux has now; NULL: those of firmware, or none. */
static const struct btf_extra_data *vmlinux_data;

int btf_extra_add_vmlinux(const struct btf_extra_data *data)
{
	const struct object_source source = {
		.name = VMLINUX,
		.image = data->image,
		.image_size = data->image_size,
		.types = { .data = data->types, .size = data->types_size },
		.types_module = data->owner,
		.keep = true,
	};
	struct extra_object *object;
	struct tally tally = {};

	if (data->types_size > U32_MAX)
		return -EINVAL;
	mutex_lock(&source_lock);
	if (vmlinux_data) {
		mutex_unlock(&source_lock);
		return -EEXIST;
	}
	/* It knows better than the firmware: its types have ids of the kernel's own. */
	drop(VMLINUX, NULL);
	object = add(&source, &running_kernel);
	if (!IS_ERR(object)) {
		vmlinux_data = data;
		count(&tally, object);
		tell(&tally);
	}
	mutex_unlock(&source_lock);
	return PTR_ERR_OR_ZERO(object);
}
EXPORT_SYMBOL_GPL(btf_extra_add_vmlinux);

void btf_extra_del_vmlinux(const struct btf_extra_data *data)
{
	mutex_lock(&source_lock);
	if (vmlinux_data == data) {
		drop(VMLINUX, NULL);
		vmlinux_data = NULL;
	}
	mutex_unlock(&source_lock);
}
EXPORT_SYMBOL_GPL(btf_extra_del_vmlinux);
