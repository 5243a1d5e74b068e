// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>

#include "fentry_hook.h"
#include "blob_files.h"
#include "blob_source.h"
#include "core/version.h"
#include "kfuncs.h"
#include "query_device.h"
#include "sites_file.h"

static int __init btf_extra_init(void)
{
	int err;

	err = blob_files_init();
	if (err)
		return err;
	err = query_device_init();
	if (err)
		goto no_device;
	err = kfuncs_init();
	if (err)
		goto no_source;
	err = blob_source_init();
	if (err)
		goto no_source;
	err = fentry_hook_init();
	if (err)
		goto no_attach;
	sites_file_init();
	return 0;

no_attach:
	blob_source_exit();
no_source:
	query_device_exit();
no_device:
	blob_files_exit();
	return err;
}

static void __exit btf_extra_exit(void)
{
	sites_file_exit();
	fentry_hook_exit();
	query_device_exit();
	blob_source_exit();
	blob_files_exit();
}

module_init(btf_extra_init);
module_exit(btf_extra_exit);

MODULE_DESCRIPTION("Locations of inlined and optimized functions for BTF");
MODULE_LICENSE("GPL");
MODULE_VERSION(BTF_EXTRA_VERSION);
