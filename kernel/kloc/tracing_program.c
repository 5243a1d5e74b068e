// SPDX-License-Identifier: GPL-2.0
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "compat/bpf_compat.h"
#include "core/arg_place.h"
#include "core/loc_entry.h"
#include "kloc/tracing_program.h"
#include "query/site_query.h"

/* ---- which program ---- */

static bool tracing_fits(const struct bpf_prog *prog)
{
	return prog->type == BPF_PROG_TYPE_TRACING &&
	       prog->expected_attach_type == BPF_TRACE_FENTRY &&
	       !bpf_prog_is_sleepable(prog) && prog->jited && !prog->aux->dst_prog &&
	       prog->aux->attach_func_proto;
}

/* Until it is attached for the first time, a program knows its trampoline. */
static unsigned long address_before_attach(const struct bpf_prog *prog)
{
	struct bpf_prog_aux *aux = prog->aux;
	unsigned long address = 0;

	mutex_lock(&aux->dst_mutex);
	if (aux->dst_trampoline)
		address = (unsigned long)aux->dst_trampoline->func.addr;
	mutex_unlock(&aux->dst_mutex);
	return address;
}

static struct bpf_prog *get_by_itself(u32 fd, struct kloc_program *program)
{
	struct bpf_prog *prog = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_TRACING, false);

	if (IS_ERR(prog))
		return prog;
	if (tracing_fits(prog))
		program->function = address_before_attach(prog);
	if (program->function)
		return prog;
	bpf_prog_put(prog);
	return ERR_PTR(-EINVAL);
}

/* The link has its trampoline as long as it is held. */
static bool read_link(const struct bpf_tracing_link *link, u32 id, struct kloc_program *program)
{
	/* A link of another attach type may be another struct. */
	if (!tracing_fits(link->link.link.prog) || link->tgt_prog || !link->trampoline)
		return false;
	program->function = (unsigned long)link->trampoline->func.addr;
	program->run_ctx.bpf_cookie = bpf_tracing_link_cookie(link);
	program->link_id = id;
	return program->function;
}

/* The link is not held: whoever made it ends it. */
static struct bpf_prog *get_by_link(const struct bpf_tracing_link *link, u32 id,
				    struct kloc_program *program)
{
	struct bpf_prog *prog = link->link.link.prog;

	if (!prog || !read_link(link, id, program))
		return ERR_PTR(-EINVAL);
	bpf_prog_inc(prog);
	return prog;
}

static struct bpf_prog *get_by_link_fd(u32 fd, struct kloc_program *program)
{
	struct bpf_prog *prog = ERR_PTR(-EINVAL);
	struct bpf_link *link = bpf_link_get_from_fd(fd);

	if (IS_ERR(link))
		return ERR_CAST(link);
	if (link->type == BPF_LINK_TYPE_TRACING)
		prog = get_by_link(container_of(link, struct bpf_tracing_link, link.link),
				   link->id, program);
	bpf_link_put(link);
	return prog;
}

struct bpf_prog *tracing_program_get(const struct kloc_request *request,
				     struct kloc_program *program)
{
	if (request->link)
		return get_by_link(request->link, request->link_id, program);
	if (request->by_link)
		return get_by_link_fd(request->prog_fd, program);
	return get_by_itself(request->prog_fd, program);
}

/* ---- what it reads ---- */

/*
 * The verifier has put bpf_get_func_arg() into the code of the program. It begins with the number
 * of arguments, r0 = *(u64 *)(r1 - 8), as bpf_get_func_arg_cnt() does. The verifier does not know
 * which programs a tail call runs.
 */
static bool reads_by_number(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LDX | BPF_MEM | BPF_DW) && insn->off == -8 &&
	       insn->dst_reg == BPF_REG_0 && insn->src_reg == BPF_REG_1;
}

static bool is_tail_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_TAIL_CALL);
}

u32 tracing_program_reads(const struct bpf_prog *prog)
{
	u32 i;

	if (prog->aux->tail_call_reachable)
		return U32_MAX;
	for (i = 0; i < prog->len; i++)
		if (reads_by_number(&prog->insnsi[i]) || is_tail_call(&prog->insnsi[i]))
			return U32_MAX;
	return prog->aux->max_ctx_offset;
}

/* ---- which function ---- */

/*
 * The verifier has checked the program for these types. They are compared by id: those of the base
 * are the same in the BTF that the verifier has. Ours are in no BTF of the kernel, unless a module
 * brings them.
 */
bool tracing_same_types(const struct extra_object *object, const struct btf_type *wanted,
			const struct btf_type *ours)
{
	const struct btf_param *a = (const void *)(wanted + 1);
	const struct btf_param *b = (const void *)(ours + 1);
	u32 i;

	if (btf_type_vlen(wanted) != loc_vlen(ours))
		return false;
	for (i = 0; i < loc_vlen(ours); i++)
		if (a[i].type != b[i].type ||
		    (b[i].type >= object->blobs.first_own_id && !object->types_module))
			return false;
	return true;
}

static bool has_its_name(const struct kloc_program *program, const struct extra_object *object,
			 u32 func_id)
{
	return !strcmp(program->prog->aux->attach_func_name,
		       extra_object_func_name(object, func_id));
}

static bool has_its_types(const struct kloc_program *program, const struct extra_object *object,
			  u32 func_id)
{
	const struct btf_type *ours = arg_prototype(&object->blobs.func_info, func_id);

	return ours &&
	       tracing_same_types(object, program->prog->aux->attach_func_proto, ours);
}

/* The body may begin after the hook for tracers, at which the kernel attaches the program. */
static int stop_at_body(const struct btf_extra_site *site, void *data)
{
	const unsigned long *function = data;

	return !(site->flags & (BTF_EXTRA_SITE_PART | BTF_EXTRA_SITE_FREED)) &&
	       (site->address == *function || site->address == arch_behind_hook(*function));
}

/* Several functions may share a name, a prototype and, if the compiler has merged them, a body. */
static bool is_its_function(const struct kloc_program *program, const struct registry_state *state,
			    const struct extra_object *object, u32 func_id)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.flags = BTF_EXTRA_BODY_ONLY,
		.object = object->name,
		.func_id = func_id,
	};
	unsigned long function = program->function;

	return has_its_name(program, object, func_id) && has_its_types(program, object, func_id) &&
	       site_query_walk(state, &query, stop_at_body, &function, NULL) > 0;
}

int tracing_program_compare(struct kloc_program *program, const struct registry_state *state,
			    const struct extra_object *object, struct kloc_request *request)
{
	const u32 end = tracing_program_reads(program->prog);
	struct arg_place places[ARG_SLOTS_PARAMS];
	int nr, i;

	nr = arg_places_in_slots(loc_arch_running(), &object->blobs.func_info, request->func_id,
				 places, ARRAY_SIZE(places));
	if (nr < 0)
		return nr;
	if (!is_its_function(program, state, object, request->func_id))
		return -EINVAL;
	program->nr_slots = 0;
	for (i = 0; i < nr; i++) {
		if (sizeof(u64) * places[i].first_slot < end) {
			request->required |= BIT_ULL(i);
			program->readable |= (u64)BTF_EXTRA_ARGS_NONE << 4 * i;
		}
		program->nr_slots += places[i].nr_slots;
	}
	request->slots = true;
	/* The verifier trusts what the program finds, so hits must be calls. */
	request->inexact = false;
	return 0;
}

struct function_search {
	const struct kloc_program *program;
	const struct registry_state *state;
	const struct extra_object *object;
	u32 func_id;
	int err;
};

static int stop_at_call(const struct btf_extra_site *site, void *data)
{
	return !(site->flags & (BTF_EXTRA_SITE_PART | BTF_EXTRA_SITE_FREED));
}

static bool has_inlined_call(const struct function_search *search, u32 func_id)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.flags = BTF_EXTRA_INLINE_ONLY,
		.object = search->object->name,
		.func_id = func_id,
	};

	return site_query_walk(search->state, &query, stop_at_call, NULL, NULL) > 0;
}

static int stop_at_function(const struct btf_extra_site *site, void *data)
{
	struct function_search *search = data;

	if (site->flags & (BTF_EXTRA_SITE_PART | BTF_EXTRA_SITE_FREED) ||
	    !has_its_name(search->program, search->object, site->func_id) ||
	    !has_inlined_call(search, site->func_id))
		return 0;
	search->err = -EINVAL;
	search->func_id = site->func_id;
	return has_its_types(search->program, search->object, site->func_id);
}

int tracing_program_find(const struct kloc_program *program, const struct registry_state *state,
			 struct kloc_request *request)
{
	const struct address_range *range = registry_find(state, program->function);
	struct function_search search = { .program = program, .state = state, .err = -ENOENT };
	struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ADDRESS,
		.flags = BTF_EXTRA_BODY_ONLY,
		.address = program->function,
	};
	int found;

	if (!range)
		return -ENOENT;
	search.object = range->object;
	found = site_query_walk(state, &query, stop_at_function, &search, NULL);
	if (found <= 0) {
		query.address = arch_behind_hook(program->function);
		found = site_query_walk(state, &query, stop_at_function, &search, NULL);
	}
	if (found <= 0)
		return search.err;
	request->object = search.object->id;
	request->func_id = search.func_id;
	return 0;
}

static int prepare_in(struct kloc_program *program, const struct registry_state *state,
		      struct kloc_request *request)
{
	const struct extra_object *object;
	int err = request->link ? tracing_program_find(program, state, request) : 0;

	if (err)
		return err;
	object = registry_object(state, request->object);
	return object ? tracing_program_compare(program, state, object, request) : -ENOENT;
}

int tracing_program_prepare(struct kloc_program *program, struct kloc_request *request)
{
	int err;

	/* At the bodies its trampoline runs it. */
	if (request->classes != BTF_EXTRA_INLINE_ONLY)
		return -EINVAL;
	rcu_read_lock();
	err = prepare_in(program, registry_state(), request);
	rcu_read_unlock();
	return err;
}

/* ---- once ---- */

static LIST_HEAD(followed_programs);	/* under followed_lock */
static DEFINE_MUTEX(followed_lock);

/* A program that was attached to its sites first, and then to its function, has no link there. */
static bool is_the_same(const struct kloc_program *a, const struct kloc_program *b)
{
	return a->prog == b->prog && (a->link_id == b->link_id || !a->link_id || !b->link_id);
}

int tracing_program_follow(struct kloc_program *program)
{
	const struct kloc_program *other;
	int err = 0;

	mutex_lock(&followed_lock);
	list_for_each_entry(other, &followed_programs, followed)
		if (is_the_same(other, program))
			err = -EEXIST;
	if (!err)
		list_add(&program->followed, &followed_programs);
	mutex_unlock(&followed_lock);
	return err;
}

void tracing_program_unfollow(struct kloc_program *program)
{
	mutex_lock(&followed_lock);
	list_del(&program->followed);
	mutex_unlock(&followed_lock);
}
