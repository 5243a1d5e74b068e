// SPDX-License-Identifier: GPL-2.0
#include "blob_source.h"
#include "firmware_source.h"
#include "load_tally.h"
#include "module_follower.h"
#include "published_objects.h"
#include "vmlinux_source.h"

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
