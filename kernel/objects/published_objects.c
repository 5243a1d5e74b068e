// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "objects/blob_files.h"
#include "objects/object_registry.h"
#include "objects/published_objects.h"
#include "objects/running_kernel.h"

static DEFINE_MUTEX(published_mutex);

void published_lock(void)
{
	mutex_lock(&published_mutex);
}

void published_unlock(void)
{
	mutex_unlock(&published_mutex);
}

bool published_has(const char *name)
{
	bool found;

	rcu_read_lock();
	found = registry_named(registry_state(), name);
	rcu_read_unlock();
	return found;
}

struct extra_object *published_object(u32 id)
{
	struct extra_object *object;

	lockdep_assert_held(&published_mutex);
	rcu_read_lock();
	object = (struct extra_object *)registry_object(registry_state(), id);
	rcu_read_unlock();
	return object;
}

static int published_show(struct extra_object *object, struct extra_object *before)
{
	int err;

	/* sysfs accepts one file of a name, and logs a stack trace for a second. */
	if (before)
		blob_files_remove(before);
	err = blob_files_add(object);
	if (!err) {
		err = registry_replace(before, object);
		if (!err)
			return 0;
		blob_files_remove(object);
	}
	if (before && blob_files_add(before))
		pr_err("%s: not in sysfs any more\n", before->name);
	return err;
}

static struct extra_object *published_make(const struct object_source *source,
					   const struct object_host *host,
					   struct extra_object *before)
{
	struct extra_object *object;
	int err;

	lockdep_assert_held(&published_mutex);
	object = extra_object_create(source, host);
	if (IS_ERR(object))
		return object;
	err = !before && published_has(source->name) ? -EEXIST : published_show(object, before);
	if (!err) {
		extra_object_destroy(before);
		return object;
	}
	pr_err("%s: refused: %s (%d)\n", source->name,
	       err == -EEXIST ? "sysfs has a file of its name" : "cannot be published",
	       err);
	extra_object_destroy(object);
	return ERR_PTR(err);
}

struct extra_object *published_add(const struct object_source *source,
				   const struct object_host *host)
{
	return published_make(source, host, NULL);
}

void published_count(const struct object_source *source, struct load_tally *tally)
{
	published_lock();
	if (!published_has(source->name))
		load_tally_count(tally, published_add(source, &running_kernel));
	published_unlock();
}

struct extra_object *published_replace(const struct object_source *source,
				       const struct object_host *host)
{
	struct extra_object *before;

	rcu_read_lock();
	/* The lock keeps the object alive. */
	before = (struct extra_object *)registry_named(registry_state(), source->name);
	rcu_read_unlock();
	return published_make(source, host,
			      before && before->module == source->module ? before : NULL);
}

bool published_remove(const char *name, const struct module *module)
{
	struct extra_object *object;

	lockdep_assert_held(&published_mutex);
	object = registry_remove(name, module);
	if (!object)
		return false;
	blob_files_remove(object);
	extra_object_destroy(object);
	return true;
}

static const struct extra_object *any_object(void)
{
	const struct registry_state *state;
	const struct extra_object *object;

	rcu_read_lock();
	state = registry_state();
	object = state->nr_objects ? state->objects[state->nr_objects - 1] : NULL;
	rcu_read_unlock();
	/* The lock keeps the object alive. */
	return object;
}

void published_clear(void)
{
	const struct extra_object *object;

	for (object = any_object(); object; object = any_object())
		published_remove(object->name, object->module);
	registry_exit();
}
