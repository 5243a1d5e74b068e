// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/bpf.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/bpf_compat.h"
#include "fentry/fentry_complete.h"
#include "kloc/bpf_active.h"
#include "kloc/kloc_link.h"

/* ---- the parameter ---- */

static const char *const mode_names[] = {
	[FENTRY_COMPLETE_OFF] = "off",
	[FENTRY_COMPLETE_ALL] = "all",
	[FENTRY_COMPLETE_BEST_EFFORT] = "best-effort",
	[FENTRY_COMPLETE_STRICT] = "strict",
};

static int complete_mode = FENTRY_COMPLETE_ALL;

static int complete_set(const char *value, const struct kernel_param *param)
{
	int mode = sysfs_match_string(mode_names, value);

	if (mode < 0)
		return mode;
	WRITE_ONCE(complete_mode, mode);
	return 0;
}

static int complete_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", mode_names[READ_ONCE(complete_mode)]);
}

static const struct kernel_param_ops complete_param_ops = {
	.set = complete_set,
	.get = complete_get,
};

/* Tools read it, too. */
module_param_cb(complete, &complete_param_ops, NULL, 0644);
MODULE_PARM_DESC(complete,
		 "Run fentry programs at inlined calls as well: off, all (default), best-effort, strict");

enum fentry_complete fentry_complete_of(const struct bpf_prog *prog)
{
	if (prog->type != BPF_PROG_TYPE_TRACING ||
	    prog->expected_attach_type != BPF_TRACE_FENTRY || bpf_prog_is_sleepable(prog) ||
	    !bpf_active)
		return FENTRY_COMPLETE_OFF;
	return READ_ONCE(complete_mode);
}

/* ---- the links ---- */

struct completed_link {
	struct list_head list;
	const struct bpf_tracing_link *link;	/* not held, because the kernel reports its end */
	struct kloc_link *kloc;
};

static LIST_HEAD(completed_links);
static DEFINE_MUTEX(completed_lock);

/* Fills @sites, which the caller frees. The errors are those of kloc_link_create(). */
static int complete_link(struct kloc_request *request, struct kloc_sites *sites)
{
	struct completed_link *completed = kzalloc(sizeof(*completed), GFP_KERNEL_ACCOUNT);
	int err;

	*sites = (struct kloc_sites){};
	if (!completed)
		return -ENOMEM;
	completed->link = request->link;
	completed->kloc = kloc_link_create(request, sites);
	err = PTR_ERR_OR_ZERO(completed->kloc);
	if (err) {
		kfree(completed);
		return err;
	}
	mutex_lock(&completed_lock);
	list_add(&completed->list, &completed_links);
	mutex_unlock(&completed_lock);
	return 0;
}

static void completed_end(struct completed_link *completed)
{
	kloc_link_destroy(completed->kloc);
	kfree(completed);
}

/* Returns NULL if the link is not completed. */
static struct completed_link *completed_take(const struct bpf_tracing_link *link)
{
	struct completed_link *completed, *found = NULL;

	mutex_lock(&completed_lock);
	list_for_each_entry(completed, &completed_links, list)
		if (completed->link == link)
			found = completed;
	if (found)
		list_del(&found->list);
	mutex_unlock(&completed_lock);
	return found;
}

/* ---- what a program misses ---- */

/* By enum btf_extra_reason. */
static const char *const missed_texts[] = {
	[BTF_EXTRA_REASON_NO_TEXT] = "without a known address",
	[BTF_EXTRA_REASON_LOOP_HEAD] = "at a loop head",
	[BTF_EXTRA_REASON_PARAMETER] = "without an argument that it reads",
	[BTF_EXTRA_REASON_NOTRACE] = "in a notrace function",
	[BTF_EXTRA_REASON_KPROBE] = "refused by kprobes",
	[BTF_EXTRA_REASON_NO_ENTRY] = "without a known entry",
};

/* The inlined calls that can still run, by their reasons. */
struct missed_calls {
	u32 nr;
	u32 nr_missed;
	u32 by_reason[ARRAY_SIZE(missed_texts)];
};

static struct missed_calls count_missed(const struct kloc_sites *sites)
{
	struct missed_calls calls = {};
	u32 i;

	for (i = 0; i < sites->nr_sites; i++) {
		const struct kloc_site *site = &sites->sites[i];

		if (site->site.flags & BTF_EXTRA_SITE_FREED)
			continue;
		calls.nr++;
		calls.nr_missed += site->reason != 0;
		calls.by_reason[site->reason]++;
	}
	return calls;
}

/* Writes "1 at a loop head, 2 without a known entry". */
static void say_reasons(char *text, size_t size, const struct missed_calls *calls)
{
	size_t length = 0;
	u32 i;

	*text = '\0';
	for (i = 1; i < ARRAY_SIZE(missed_texts); i++)
		if (calls->by_reason[i])
			length += scnprintf(text + length, size - length, "%s%u %s",
					    length ? ", " : "", calls->by_reason[i],
					    missed_texts[i]);
}

/* One line in dmesg, because creating a link has no log of its own. */
static void log_missed(const struct bpf_tracing_link *link, const struct kloc_sites *sites,
		       const struct kloc_request *request, int err)
{
	const char *function = link->link.link.prog->aux->attach_func_name;
	const struct missed_calls calls = count_missed(sites);
	char reasons[200];

	if (err && err != -EOPNOTSUPP) {
		pr_notice_ratelimited("%s: fentry of %s[%d] misses the inlined calls: %s (%d)\n",
				      function, current->comm, task_tgid_nr(current),
				      err == -EINVAL ? "its arguments are not those of the tables" :
				      "they cannot be probed", err);
		return;
	}
	if (!calls.nr_missed)
		return;
	say_reasons(reasons, sizeof(reasons), &calls);
	pr_notice_ratelimited("%s: fentry of %s[%d] misses %u of %u inlined calls: %s%s\n",
			      function, current->comm, task_tgid_nr(current),
			      err ? calls.nr : calls.nr_missed, calls.nr, reasons,
			      err && !request->best_effort && calls.nr > calls.nr_missed ?
			      "; complete=best-effort runs it at the others" : "");
}

/* ---- the operations ---- */

/* Returns the result of creating the link with complete=strict. */
static int strict_answer(const struct kloc_sites *sites, const struct kloc_request *request,
			 int err)
{
	/* Only calls in closed code are left out, which are not required. */
	if (err == -EOPNOTSUPP && !kloc_sites_lacking(sites, request))
		return 0;
	return err == -EINVAL ? -EOPNOTSUPP : err;
}

int fentry_complete_linked(const struct bpf_tracing_link *link, u32 id)
{
	const int mode = READ_ONCE(complete_mode);
	struct kloc_request request = {
		.by_link = true,
		.link = link,
		.link_id = id,
		.classes = BTF_EXTRA_INLINE_ONLY,
		.best_effort = mode == FENTRY_COMPLETE_BEST_EFFORT,
		.hidden = true,
	};
	struct kloc_sites sites;
	int err;

	if (mode == FENTRY_COMPLETE_OFF)
		return 0;
	err = complete_link(&request, &sites);
	/* Its function has no inlined calls, or the program runs at them already. */
	if (err == -ENOENT || err == -EEXIST)
		err = 0;
	/* Only if the caller is being killed, it does not matter what the program misses. */
	if (err != -EINTR) {
		log_missed(link, &sites, &request, err);
		if (err)
			err = mode == FENTRY_COMPLETE_STRICT ?
				strict_answer(&sites, &request, err) : 0;
	}
	kloc_sites_free(&sites);
	return err;
}

void fentry_complete_unlinked(const struct bpf_tracing_link *link)
{
	struct completed_link *completed = completed_take(link);

	if (completed)
		completed_end(completed);
}

void fentry_complete_exit(void)
{
	struct completed_link *completed, *next;

	list_for_each_entry_safe(completed, next, &completed_links, list) {
		list_del(&completed->list);
		completed_end(completed);
	}
}
