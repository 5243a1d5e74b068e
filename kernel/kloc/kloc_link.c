// SPDX-License-Identifier: GPL-2.0
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "compat/bpf_compat.h"
#include "kloc/bpf_active.h"
#include "kloc/kloc_link.h"
#include "kloc/kloc_probes.h"
#include "kloc/kloc_program.h"
#include "kloc/tracing_program.h"

/*
 * If the module is coming, or if objects come and go during an attempt, it is repeated after a
 * pause, up to this time.
 */
#define ATTACH_TIMEOUT (10 * HZ)
#define ATTACH_PAUSE (HZ / 100 + 1)

struct kloc_link {
	struct kloc_program program;
	struct kloc_probes probes;
	u32 object, func_id;
	bool hidden;
	bool followed;		/* see tracing_program_follow() */
};

/* ---- the program ---- */

static bool is_tracing(const struct kloc_program *program)
{
	return program->prog->type == BPF_PROG_TYPE_TRACING;
}

/* The conditions are those of perf: other attach types expect another context. */
static bool program_fits(const struct bpf_prog *prog)
{
	return !bpf_prog_is_sleepable(prog) && !prog->kprobe_override &&
	       !bpf_prog_writes_registers(prog) && !prog->expected_attach_type;
}

/* Fills in what the program tells. On failure there is nothing to put. */
static int get_program(struct kloc_program *program, struct kloc_request *request)
{
	struct bpf_prog *prog = ERR_PTR(-EINVAL);

	if (!request->by_link)
		prog = bpf_prog_get_type_dev(request->prog_fd, BPF_PROG_TYPE_KPROBE, false);
	if (!IS_ERR(prog) && !program_fits(prog)) {
		bpf_prog_put(prog);
		return -EINVAL;
	}
	/* It is of another type. */
	if (prog == ERR_PTR(-EINVAL))
		prog = tracing_program_get(request, program);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	program->prog = prog;
	return is_tracing(program) ? tracing_program_prepare(program, request) : 0;
}

/* ---- creation and end ---- */

static void link_destroy(struct kloc_link *link)
{
	kloc_probes_free(&link->probes);
	free_percpu(link->program.counts);
	if (link->followed)
		tracing_program_unfollow(&link->program);
	if (link->program.prog)
		bpf_prog_put(link->program.prog);
	kfree(link);
}

/* Adds the requirements of the program to @request, which may contain them already. */
static int link_take_program(struct kloc_link *link, struct kloc_request *request)
{
	int err;

	link->program.run_ctx.bpf_cookie = request->cookie;
	err = get_program(&link->program, request);
	if (!err && link->program.link_id) {
		err = tracing_program_follow(&link->program);
		link->followed = !err;
	}
	return err;
}

/* Also fills @sites, which the caller frees. On failure nothing has to be freed. */
static struct kloc_link *link_create(struct kloc_request *request, struct kloc_sites *sites)
{
	struct kloc_link *link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	int err;

	if (!link)
		return ERR_PTR(-ENOMEM);
	link->object = request->object;
	link->func_id = request->func_id;
	link->hidden = request->hidden;
	err = link_take_program(link, request);
	if (!err) {
		link->program.counts = alloc_percpu_gfp(struct kloc_counts, GFP_KERNEL_ACCOUNT);
		err = link->program.counts ? 0 : -ENOMEM;
	}
	if (!err)
		err = kloc_probes_collect(&link->probes, sites, request);
	if (!err)
		return link;
	link_destroy(link);
	return ERR_PTR(err);
}

/* ---- results for the caller ---- */

static void describe_site(const struct btf_extra_site *site, bool hidden,
			  struct btf_extra_site *described)
{
	*described = *site;
	if (hidden)
		described->address = 0;
}

static int report_left_out(const struct kloc_sites *sites, const struct kloc_request *request,
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
		};

		if (!site->reason)
			continue;
		if (site->reason == BTF_EXTRA_REASON_PARAMETER)
			left_out.parameters = request->required & ~site->args->located;
		report->total++;
		if (report->count == report->capacity)
			continue;
		describe_site(&site->site, request->hidden, &left_out.site);
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

static void link_totals(const struct kloc_link *link, struct btf_extra_link *info)
{
	const struct kloc_counts counts = kloc_counts_sum(link->program.counts);

	info->hits = counts.hits;
	info->missed = counts.missed + kloc_probes_missed(&link->probes);
	info->total = link->probes.nr;
	info->cookie = link->program.run_ctx.bpf_cookie;
	info->object = link->object;
	info->func_id = link->func_id;
	info->prog_id = link->program.prog->aux->id;
	info->link_id = link->program.link_id;
	info->result = link->hidden ? BTF_EXTRA_RESULT_HIDDEN : 0;
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
	link_totals(link, &info);
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

static void link_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct btf_extra_link info = {};

	link_totals(file->private_data, &info);
	seq_printf(seq, "prog_id:\t%u\nobject:\t%u\nfunc_id:\t%u\nprobes:\t%u\n", info.prog_id,
		   info.object, info.func_id, info.total);
	seq_printf(seq, "hits:\t%llu\nmissed:\t%llu\ncookie:\t%llu\nlink_id:\t%u\n", info.hits,
		   info.missed, info.cookie, info.link_id);
}

static int link_release(struct inode *inode, struct file *file)
{
	link_destroy(file->private_data);
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

static int check_caller(const struct kloc_request *request)
{
	int err;

	/* Another process may have opened the device. */
	if (!perfmon_capable() || (request->with_notrace && !capable(CAP_SYS_ADMIN)))
		return -EPERM;
	err = security_locked_down(LOCKDOWN_KPROBES) ?:
	      security_locked_down(LOCKDOWN_BPF_READ_KERNEL);
	if (err)
		return err;
	return bpf_active ? 0 : -ENODEV;
}

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
		link_destroy(link);
		return fd;
	}
	file = anon_inode_getfile("btf_extra_link", &link_operations, link, O_RDWR);
	if (IS_ERR(file)) {
		link_destroy(link);
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

/* Returns -EAGAIN if the sites have changed meanwhile; -EPROBE_DEFER: the module does not live. */
static int attach_once(struct kloc_request *request, struct btf_extra_attach *attach,
		       struct btf_extra_attach __user *argument)
{
	struct kloc_sites sites;
	struct kloc_link *link;
	int ret;

	link = link_create(request, &sites);
	if (IS_ERR(link))
		return PTR_ERR(link);
	ret = kloc_probes_attach(&link->probes, &sites, request,
				 is_tracing(&link->program) ? tracing_hit : kloc_probe_hit,
				 &link->program);
	attach->attached = ret ? 0 : link->probes.nr;
	if (report_left_out(&sites, request, attach) ||
	    (ret == -EOPNOTSUPP && copy_to_user(argument, attach, sizeof(*attach))))
		ret = -EFAULT;
	if (ret)
		link_destroy(link);
	else
		ret = publish_fd(link, attach, argument);
	kloc_sites_free(&sites);
	return ret;
}

long kloc_link_attach(struct btf_extra_attach __user *argument, bool hidden)
{
	const unsigned long end = jiffies + ATTACH_TIMEOUT;
	struct btf_extra_attach attach;
	struct kloc_request request;
	int ret;

	if (copy_from_user(&attach, argument, sizeof(attach)))
		return -EFAULT;
	ret = read_request(&attach, hidden, &request) ?: check_caller(&request);
	if (ret)
		return ret;
	attach.result = hidden ? BTF_EXTRA_RESULT_HIDDEN : 0;
	for (;;) {
		ret = attach_once(&request, &attach, argument);
		if (ret != -EAGAIN && ret != -EPROBE_DEFER)
			return ret;
		if (time_after(jiffies, end))
			return -EAGAIN;
		schedule_timeout_killable(ATTACH_PAUSE);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}
