// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "compat/bpf_compat.h"
#include "kloc/bpf_active.h"
#include "kloc/kloc_link.h"
#include "kloc/tracing_program.h"

/*
 * If the module is coming, or if objects come and go during an attempt, it is repeated after a
 * pause, up to this time.
 */
#define ATTACH_TIMEOUT (10 * HZ)
#define ATTACH_PAUSE (HZ / 100 + 1)

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

static LIST_HEAD(kloc_links);
static DEFINE_MUTEX(kloc_links_lock);

static void link_publish(struct kloc_link *link)
{
	mutex_lock(&kloc_links_lock);
	list_add_tail(&link->list, &kloc_links);
	mutex_unlock(&kloc_links_lock);
}

/* Does nothing if the link was not published. */
static void link_withdraw(struct kloc_link *link)
{
	mutex_lock(&kloc_links_lock);
	list_del_init(&link->list);
	mutex_unlock(&kloc_links_lock);
}

void kloc_link_destroy(struct kloc_link *link)
{
	link_withdraw(link);
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
	if (!err && is_tracing(&link->program)) {
		err = tracing_program_follow(&link->program);
		link->followed = !err;
	}
	return err;
}

/* Also fills @sites, which the caller frees. On failure nothing has to be freed. */
static struct kloc_link *link_prepare(struct kloc_request *request, struct kloc_sites *sites)
{
	struct kloc_link *link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	int err;

	if (!link)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&link->list);
	err = link_take_program(link, request);
	link->object = request->object;
	link->func_id = request->func_id;
	link->hidden = request->hidden;
	if (!err) {
		link->program.counts = alloc_percpu_gfp(struct kloc_counts, GFP_KERNEL_ACCOUNT);
		err = link->program.counts ? 0 : -ENOMEM;
	}
	if (!err)
		err = kloc_probes_collect(&link->probes, sites, request);
	if (!err)
		return link;
	kloc_link_destroy(link);
	return ERR_PTR(err);
}

/*
 * -EAGAIN: the sites have changed meanwhile; -EPROBE_DEFER: the module does not live. In any case
 * the caller frees @sites.
 */
static struct kloc_link *link_try(struct kloc_request *request, struct kloc_sites *sites)
{
	struct kloc_link *link;
	int err;

	*sites = (struct kloc_sites){};
	link = link_prepare(request, sites);
	if (IS_ERR(link))
		return link;
	err = kloc_probes_attach(&link->probes, sites, request,
				 is_tracing(&link->program) ? tracing_hit : kloc_probe_hit,
				 &link->program);
	if (err) {
		kloc_link_destroy(link);
		return ERR_PTR(err);
	}
	link_publish(link);
	return link;
}

static int link_allowed(void)
{
	int err = security_locked_down(LOCKDOWN_KPROBES) ?:
		  security_locked_down(LOCKDOWN_BPF_READ_KERNEL);

	if (err)
		return err;
	return bpf_active ? 0 : -ENODEV;
}

struct kloc_link *kloc_link_create(struct kloc_request *request, struct kloc_sites *sites)
{
	const unsigned long end = jiffies + ATTACH_TIMEOUT;
	struct kloc_link *link;
	int err = link_allowed();

	*sites = (struct kloc_sites){};
	if (err)
		return ERR_PTR(err);
	for (;;) {
		link = link_try(request, sites);
		if (link != ERR_PTR(-EAGAIN) && link != ERR_PTR(-EPROBE_DEFER))
			return link;
		kloc_sites_free(sites);
		if (time_after(jiffies, end))
			return ERR_PTR(-EAGAIN);
		schedule_timeout_killable(ATTACH_PAUSE);
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
	}
}

/* ---- all links ---- */

void kloc_link_describe(const struct kloc_link *link, struct btf_extra_link *info)
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

struct kloc_link *kloc_links_start(loff_t position)
{
	struct kloc_link *link;

	mutex_lock(&kloc_links_lock);
	list_for_each_entry(link, &kloc_links, list)
		if (!position--)
			return link;
	return NULL;
}

struct kloc_link *kloc_links_next(struct kloc_link *link)
{
	return list_is_last(&link->list, &kloc_links) ? NULL : list_next_entry(link, list);
}

void kloc_links_stop(void)
{
	mutex_unlock(&kloc_links_lock);
}
