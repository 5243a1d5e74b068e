// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/module.h>

#include "compat/bpf_compat.h"
#include "core/version.h"
#include "doors/kfuncs.h"
#include "doors/links_file.h"
#include "doors/query_device.h"
#include "doors/sites_file.h"
#include "fentry/fentry_hook.h"
#include "kloc/bpf_active.h"
#include "objects/base_btf.h"
#include "objects/blob_files.h"
#include "phantoms/phantom_modules.h"
#include "sources/blob_source.h"

static struct dentry *debug_folder;

static int __init btf_extra_init(void)
{
	int err;

	err = vmlinux_btf_init();
	if (err)
		return err;
	bpf_active_init(&vmlinux_btf()->blob);
	err = blob_files_init();
	if (err)
		goto exit_vmlinux_btf;
	err = query_device_init();
	if (err)
		goto exit_blob_files;
	kfuncs_init();
	err = phantom_modules_init();
	if (err)
		goto exit_query_device;
	err = blob_source_init();
	if (err)
		goto exit_phantom_modules;
	err = fentry_hook_init();
	if (err)
		goto exit_blob_source;
	debug_folder = debugfs_create_dir("btf_extra", NULL);
	sites_file_create(debug_folder);
	links_file_create(debug_folder);
	return 0;

exit_blob_source:
	blob_source_exit();
exit_phantom_modules:
	phantom_modules_exit();
exit_query_device:
	query_device_exit();
exit_blob_files:
	blob_files_exit();
exit_vmlinux_btf:
	vmlinux_btf_exit();
	return err;
}

static void __exit btf_extra_exit(void)
{
	debugfs_remove_recursive(debug_folder);
	fentry_hook_exit();
	blob_source_exit();
	phantom_modules_exit();
	query_device_exit();
	blob_files_exit();
	vmlinux_btf_exit();
}

module_init(btf_extra_init);
module_exit(btf_extra_exit);

MODULE_DESCRIPTION("Locations of inlined and optimized functions for BTF");
MODULE_LICENSE("GPL");
IMPORT_BPF_INTERNAL();
MODULE_VERSION(BTF_EXTRA_VERSION);
