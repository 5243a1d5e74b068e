// SPDX-License-Identifier: GPL-2.0
#include "objects/load_tally.h"
#include "objects/published_objects.h"
#include "sources/blob_source.h"
#include "sources/firmware_source.h"
#include "sources/module_follower.h"
#include "sources/vmlinux_source.h"

static void remove_objects(void)
{
	published_lock();
	published_clear();
	published_unlock();
	firmware_source_close();
}

int blob_source_init(void)
{
	struct load_tally tally = {};
	int err;

	firmware_source_open();
	vmlinux_source_add_firmware(&tally);
	err = module_follower_start(&tally);
	if (err)
		remove_objects();
	else
		load_tally_print(&tally);
	return err;
}

void blob_source_exit(void)
{
	module_follower_stop();
	remove_objects();
}
