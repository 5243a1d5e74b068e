// SPDX-License-Identifier: GPL-2.0
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "kloc/kloc_file.h"
#include "kloc/kloc_link.h"

/* ---- results for the caller ---- */

static void describe_site(const struct btf_extra_site *site, bool hidden,
			  struct btf_extra_site *described)
{
	*described = *site;
	if (hidden)
		described->address = 0;
}

static int report_left_out(const struct kloc_sites *sites, bool hidden,
			   struct btf_extra_attach *report)
{
	struct btf_extra_left_out __user *to = u64_to_user_ptr(report->left_out);
	u32 i;

	report->count = 0;
	report->total = 0;
	for (i = 0; i < sites->nr_sites; i++) {
		const struct kloc_site *site = &sites->sites[i];
		struct btf_extra_left_out left_out = {
			.reason = site->reason,
			.error = site->error,
			.parameters = site->missing,
		};

		if (!site->reason)
			continue;
		report->total++;
		if (report->count == report->capacity)
			continue;
		describe_site(&site->site, hidden, &left_out.site);
		if (copy_to_user(&to[report->count++], &left_out, sizeof(left_out)))
			return -EFAULT;
	}
	return 0;
}

static void describe_probe(const struct kloc_probe *probe, bool hidden,
			   struct btf_extra_probe *described)
{
	*described = (struct btf_extra_probe){ .missed = READ_ONCE(probe->kprobe.nmissed) };
	describe_site(&probe->site, hidden, &described->site);
	/* Its module has gone, and the probe with it. */
	if (READ_ONCE(probe->kprobe.flags) & KPROBE_FLAG_GONE) {
		described->site.address = 0;
		described->site.flags |= BTF_EXTRA_SITE_FREED;
	}
}

static int link_probes(const struct kloc_link *link, struct btf_extra_link *info)
{
	struct btf_extra_probe __user *to = u64_to_user_ptr(info->probes);
	u32 i;

	info->count = 0;
	for (i = info->first; i < link->probes.nr && info->count < info->capacity; i++) {
		struct btf_extra_probe probe;

		describe_probe(&link->probes.probes[i], link->hidden, &probe);
		if (copy_to_user(&to[info->count++], &probe, sizeof(probe)))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/* ---- the file ---- */

static long link_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct btf_extra_link __user *user = (void __user *)argument;
	const struct kloc_link *link = file->private_data;
	struct btf_extra_link info;
	int err;

	if (command != BTF_EXTRA_IOC_LINK)
		return -ENOTTY;
	if (copy_from_user(&info, user, sizeof(info)))
		return -EFAULT;
	if (info.reserved)
		return -EINVAL;
	err = link_probes(link, &info);
	if (err)
		return err;
	kloc_link_describe(link, &info);
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

static void link_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct btf_extra_link info = {};

	kloc_link_describe(file->private_data, &info);
	seq_printf(seq, "prog_id:\t%u\nobject:\t%u\nfunc_id:\t%u\nprobes:\t%u\n", info.prog_id,
		   info.object, info.func_id, info.total);
	seq_printf(seq, "hits:\t%llu\nmissed:\t%llu\ncookie:\t%llu\nlink_id:\t%u\n", info.hits,
		   info.missed, info.cookie, info.link_id);
}

static int link_release(struct inode *inode, struct file *file)
{
	kloc_link_destroy(file->private_data);
	return 0;
}

static const struct file_operations link_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = link_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = link_show_fdinfo,
	.release = link_release,
};

/* ---- attach ---- */

static int read_request(const struct btf_extra_attach *attach, bool hidden,
			struct kloc_request *request)
{
	const u32 classes = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY;
	const u32 known = classes | BTF_EXTRA_BEST_EFFORT | BTF_EXTRA_INEXACT |
			  BTF_EXTRA_NOTRACE | BTF_EXTRA_LINK | BTF_EXTRA_ALL;

	if (attach->flags & ~known || (attach->flags & classes) == classes)
		return -EINVAL;
	if (attach->reserved[0] || attach->reserved[1] || attach->reserved[2])
		return -EINVAL;
	/* The BPF link has one. */
	if (attach->flags & BTF_EXTRA_LINK && attach->cookie)
		return -EINVAL;
	*request = (struct kloc_request){
		.prog_fd = attach->prog_fd,
		.object = attach->object,
		.func_id = attach->func_id,
		.classes = attach->flags & classes,
		.required = attach->required,
		.cookie = attach->cookie,
		.best_effort = attach->flags & BTF_EXTRA_BEST_EFFORT,
		.all = attach->flags & BTF_EXTRA_ALL,
		.inexact = attach->flags & BTF_EXTRA_INEXACT,
		.with_notrace = attach->flags & BTF_EXTRA_NOTRACE,
		.by_link = attach->flags & BTF_EXTRA_LINK,
		.hidden = hidden,
	};
	return 0;
}

/*
 * Returns the descriptor of the link. From now on the file owns the link. On failure the link is
 * gone.
 */
static int publish_fd(struct kloc_link *link, const struct btf_extra_attach *attach,
		      struct btf_extra_attach __user *argument)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		kloc_link_destroy(link);
		return fd;
	}
	file = anon_inode_getfile("btf_extra_link", &link_operations, link, O_RDWR);
	if (IS_ERR(file)) {
		kloc_link_destroy(link);
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	if (copy_to_user(argument, attach, sizeof(*attach))) {
		fput(file);
		put_unused_fd(fd);
		return -EFAULT;
	}
	fd_install(fd, file);
	return fd;
}

/* Another process may have opened the device. */
static bool may_attach(const struct kloc_request *request)
{
	return perfmon_capable() && (!request->with_notrace || capable(CAP_SYS_ADMIN));
}

long kloc_file_attach(struct btf_extra_attach __user *argument, bool hidden)
{
	struct btf_extra_attach attach;
	struct kloc_request request;
	struct kloc_sites sites;
	struct kloc_link *link;
	long ret;

	if (copy_from_user(&attach, argument, sizeof(attach)))
		return -EFAULT;
	ret = read_request(&attach, hidden, &request);
	if (ret)
		return ret;
	if (!may_attach(&request))
		return -EPERM;
	link = kloc_link_create(&request, &sites);
	ret = PTR_ERR_OR_ZERO(link);
	attach.result = hidden ? BTF_EXTRA_RESULT_HIDDEN : 0;
	attach.attached = ret ? 0 : link->probes.nr;
	if ((!ret || ret == -EOPNOTSUPP) && report_left_out(&sites, hidden, &attach))
		ret = -EFAULT;
	kloc_sites_free(&sites);
	if (!ret)
		return publish_fd(link, &attach, argument);
	if (!IS_ERR(link))
		kloc_link_destroy(link);
	if (ret == -EOPNOTSUPP && copy_to_user(argument, &attach, sizeof(attach)))
		return -EFAULT;
	return ret;
}
