// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "doors/links_file.h"
#include "kloc/kloc_link.h"
#include "objects/object_registry.h"

static void *links_start(struct seq_file *seq, loff_t *pos)
{
	return kloc_links_start(*pos);
}

static void *links_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return kloc_links_next(v);
}

static void links_stop(struct seq_file *seq, void *v)
{
	kloc_links_stop();
}

static int links_show(struct seq_file *seq, void *v)
{
	const struct extra_object *object;
	struct btf_extra_link info = {};

	kloc_link_describe(v, &info);
	rcu_read_lock();
	object = registry_object(registry_state(), info.object);
	seq_printf(seq, "%u %u %u %llu %llu %s\t[%s] %u\n", info.prog_id, info.link_id, info.total,
		   info.hits, info.missed,
		   object ? extra_object_func_name(object, info.func_id) : "-",
		   object ? object->name : "-", info.func_id);
	rcu_read_unlock();
	return 0;
}

static const struct seq_operations links_sops = {
	.start = links_start,
	.next = links_next,
	.stop = links_stop,
	.show = links_show,
};

DEFINE_SEQ_ATTRIBUTE(links);

void links_file_create(struct dentry *folder)
{
	debugfs_create_file("links", 0400, folder, NULL, &links_fops);
}
