// SPDX-License-Identifier: GPL-2.0
#include <linux/btf.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/loc_arch.h"
#include "fentry/fentry_calls.h"
#include "fentry/fentry_report.h"

struct report {
	struct fentry_query *query;
	u32 func_id;
	const struct fentry_target *target;
	const char *name;
	bool addresses;
	fentry_line_fn line;
	void *data;
	u32 nr_listed;		/* bodies */
	bool choice;		/* one of these has an id of its own */
};

/* A line is left out if memory is short. */
static __printf(2, 3) void report_tell(struct report *report, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = kvasprintf(GFP_ATOMIC, format, args);
	va_end(args);
	if (text)
		report->line(text, report->data);
	kfree(text);
}

static const char *report_plural(u32 nr)
{
	return nr == 1 ? "" : "s";
}

/* The id that attaches only to this body; 0: none, or only the requested one. */
static u32 other_id_of(struct report *report, const struct btf_extra_site *body)
{
	enum fentry_answer answer;
	u32 id = fentry_id_of_body(report->query, body, &answer);

	return id == report->func_id ? 0 : id;
}

static unsigned long address_of(const struct btf_extra_site *body)
{
	return body->flags & BTF_EXTRA_SITE_FREED ? 0 : body->address;
}

/* The symbol of a body, or else the name of the function; until the next one is asked for. */
static const char *symbol_of(struct report *report, const struct btf_extra_site *body)
{
	struct fentry_query *query = report->query;
	unsigned long address = address_of(body);

	return address && query->symbol_at(address, query->symbol) ? query->symbol : report->name;
}

static void tell_body(const struct btf_extra_site *body, void *data)
{
	struct report *report = data;
	const struct extra_object *object = report->query->object;
	const char *file = extra_object_func_file(object, body->func_id);
	char address[24] = "(hidden)", id[96] = "no id of its own";
	u32 other;

	if (report->nr_listed == FENTRY_MAX_LISTED)
		return;
	report->nr_listed++;
	other = other_id_of(report, body);
	report->choice |= other;
	if (report->addresses)
		scnprintf(address, sizeof(address), "%016lx", address_of(body));
	if (other)
		scnprintf(id, sizeof(id), "id %u of %s", other, fentry_btf_name(object, other));
	report_tell(report, "  %s %s%s%s: %s", address, symbol_of(report, body), file ? ", " : "",
		    file ?: "", id);
}

static void tell_bodies(struct report *report)
{
	u32 nr_bodies = report->target->nr_bodies;

	fentry_walk_bodies(report->query->object, report->func_id, tell_body, report);
	if (nr_bodies > report->nr_listed)
		report_tell(report, "  and %u more", nr_bodies - report->nr_listed);
	if (report->choice)
		report_tell(report,
			    "To choose one, attach by its id; see btf_extra/sites in debugfs");
	else
		report_tell(report, "A kloc program takes all of them; see btf-extra lookup %s",
			    report->name);
}

static void tell_several(struct report *report)
{
	const struct fentry_target *target = report->target;

	if (target->own)
		report_tell(report,
			    "%s: id %u stands for %u bodies, and is ambiguous:",
			    report->name, report->func_id, target->nr_bodies);
	else if (fentry_target_accepted(report->query, target))
		report_tell(report,
			    "%s: %u bodies have this name, the first in kallsyms is used:",
			    report->name, target->nr_bodies);
	else
		report_tell(report, "%s: %u bodies have this name, and btf_extra.strict is set:",
			    report->name, target->nr_bodies);
	tell_bodies(report);
}

/* ---- what is wrong with its parameters ---- */

static const char *register_name(u32 number)
{
	const struct loc_register *found = loc_arch_register(loc_arch_running(), number);

	return found ? found->name : "?";
}

static void say_place(char *text, size_t size, const struct arg_place *place)
{
	const u8 *registers = loc_arch_running()->arguments + place->first_register;
	int length = scnprintf(text, size, "%s", register_name(registers[0]));

	if (place->nr_registers == 2)
		scnprintf(text + length, size - length, ":%s", register_name(registers[1]));
}

static void say_found(char *text, size_t size, const struct loc_location *found)
{
	const char *name = register_name(found->registers[0]);
	s64 offset = found->value;

	if (found->shape == LOC_SHAPE_PAIR)
		scnprintf(text, size, "in %s:%s", name, register_name(found->registers[1]));
	else if (found->shape == LOC_SHAPE_MEMORY && offset)
		scnprintf(text, size, "in memory at %s%+lld", name, offset);
	else if (found->shape == LOC_SHAPE_MEMORY)
		scnprintf(text, size, "in memory at %s", name);
	else if (offset)
		scnprintf(text, size, "%s%+lld", name, offset);
	else
		scnprintf(text, size, "in %s", name);
}

static void say_fault(char *text, size_t size, const struct abi_fault *fault)
{
	char found[48], place[24];

	switch (fault->code) {
	case ABI_FAULT_IN_MEMORY:
		scnprintf(text, size, "not in a register");
		break;
	case ABI_FAULT_OPTIMIZED_OUT:
		scnprintf(text, size, "optimized out");
		break;
	case ABI_FAULT_CONSTANT:
		scnprintf(text, size, "a constant and not passed");
		break;
	case ABI_FAULT_ELSEWHERE:
		say_found(found, sizeof(found), &fault->found);
		say_place(place, sizeof(place), &fault->place);
		scnprintf(text, size, "%s, not in %s", found, place);
		break;
	case ABI_FAULT_RESULT:
		scnprintf(text, size, "its result may be optimized out");
		break;
	default:
		scnprintf(text, size, "the places of its parameters are not known");
		break;
	}
}

/* "" if it has none. The prototype exists, because abi_check() has found a parameter in it. */
static const char *param_name(const struct btf_blob *types, u32 func_id, u32 param)
{
	const struct btf_type *func = btf_blob_type(types, func_id);
	const struct btf_param *params = (const void *)(btf_blob_type(types, func->type) + 1);

	return btf_blob_string(types, params[param].name_off) ?: "";
}

/* Its one body. */
static void tell_abi(const struct btf_extra_site *body, void *data)
{
	struct report *report = data;
	const struct btf_blob *types = &report->query->object->blobs.func_info;
	const struct abi_fault *fault = &report->target->abi;
	u32 other = other_id_of(report, body);
	const char *symbol = symbol_of(report, body);
	const char *name = "";
	char what[96];

	say_fault(what, sizeof(what), fault);
	if (abi_fault_of_parameter(fault))
		name = param_name(types, body->func_id, fault->param);
	if (*name)
		report_tell(report, "%s: body %s: parameter '%s' is %s", report->name, symbol,
			    name, what);
	else if (abi_fault_of_parameter(fault))
		report_tell(report, "%s: body %s: parameter %u is %s", report->name, symbol,
			    fault->param + 1, what);
	else
		report_tell(report, "%s: body %s: %s", report->name, symbol, what);
	if (other)
		report_tell(report, "Id %u of %s is %s with the parameters that it has", other,
			    fentry_btf_name(report->query->object, other), symbol);
	else
		report_tell(report, "A kloc program gets the others; see btf-extra lookup %s",
			    report->name);
}

/* A function of phantom_modules.h is there for its inlined calls, or could be. */
static void tell_stub(struct report *report, bool could)
{
	struct phantom_found stub;

	if (report->query->stub_of(report->query->object, report->func_id, &stub))
		report_tell(report, "For its inlined calls attach to %s in a module inlined%s",
			    stub.name, stub.whole ? "" : ", without some parameters");
	else if (could)
		report_tell(report, "Or expose it as a function: btf-extra expose %s",
			    report->name);
}

static void tell_no_body(struct report *report)
{
	const struct fentry_target *target = report->target;

	if (!target->nr_inlined && !target->nr_parts)
		report_tell(report, "%s: its code is not known", report->name);
	else
		report_tell(report, "%s: inlined at %u site%s, %s: use kloc (btf-extra lookup %s)",
			    report->name, target->nr_inlined, report_plural(target->nr_inlined),
			    target->nr_parts ? "only split parts have a body" : "no body",
			    report->name);
	if (target->nr_inlined)
		tell_stub(report, true);
}

/* ---- inlined calls of what has a body ---- */

static void tell_missed(struct report *report, u32 nr)
{
	report_tell(report, "%s: also inlined at %u site%s: fentry will miss %s, kloc would not",
		    report->name, nr, report_plural(nr), nr == 1 ? "it" : "these");
	tell_stub(report, false);
}

static u32 nr_usable(const struct fentry_calls *calls)
{
	return calls->other_types ? 0 : calls->nr - calls->nr_closed - calls->nr_inexact;
}

/* Some sites lack a parameter. Whoever reads a parameter may read all before it. */
static void tell_lacking(struct report *report, const struct fentry_calls *calls, u32 param)
{
	static const char *const verdicts[] = {
		[FENTRY_COMPLETE_ALL] = "fentry will miss all of these",
		[FENTRY_COMPLETE_BEST_EFFORT] = "fentry will miss some of these",
		[FENTRY_COMPLETE_STRICT] = "attaching it will fail",
	};
	const struct btf_blob *types = &report->query->object->blobs.func_info;
	const char *name = param_name(types, calls->func_id, param);
	const u32 nr = calls->nr_lacking[param];
	char number[16];

	scnprintf(number, sizeof(number), "%u", param + 1);
	report_tell(report,
		    "If the program reads parameter '%s' or a later one, %s: %u site%s lack%s it",
		    *name ? name : number, verdicts[report->query->complete], nr,
		    report_plural(nr), nr == 1 ? "s" : "");
}

static void tell_completed(struct report *report, const struct fentry_calls *calls)
{
	u32 i;

	if (nr_usable(calls) == calls->nr)
		report_tell(report, "%s: also inlined at %u site%s: fentry runs there, too",
			    report->name, calls->nr, report_plural(calls->nr));
	else
		report_tell(report,
			    "%s: also inlined at %u sites: fentry runs at %u of these, too",
			    report->name, calls->nr, nr_usable(calls));
	for (i = 0; i < calls->nr_params; i++)
		if (calls->nr_lacking[i])
			tell_lacking(report, calls, i);
}

static void tell_calls(struct report *report, const struct fentry_calls *calls)
{
	const enum fentry_complete complete = report->query->complete;
	const bool whole = !calls->other_types && !calls->nr_inexact;

	if (nr_usable(calls) && (whole || complete == FENTRY_COMPLETE_BEST_EFFORT)) {
		tell_completed(report, calls);
	} else if (!whole && complete == FENTRY_COMPLETE_STRICT) {
		report_tell(report,
			    "%s: also inlined at %u site%s: attaching will fail, because btf_extra.complete is strict",
			    report->name, calls->nr, report_plural(calls->nr));
	} else {
		tell_missed(report, calls->nr);
		if (nr_usable(calls))
			report_tell(report,
				    "With btf_extra.complete=best-effort fentry runs at %u of these",
				    nr_usable(calls));
	}
}

static void tell_inlined(struct report *report)
{
	const struct fentry_target *target = report->target;
	struct fentry_calls calls;
	u32 nr_others;

	if (report->query->complete == FENTRY_COMPLETE_OFF ||
	    !fentry_calls_of(report->query->object, report->func_id, target, &calls)) {
		tell_missed(report, target->nr_inlined);
		return;
	}
	if (calls.nr)
		tell_calls(report, &calls);
	nr_others = target->nr_inlined - calls.nr - calls.nr_freed;
	if (nr_others)
		report_tell(report,
			    "%s: other functions of this name are inlined at %u site%s: fentry will miss %s",
			    report->name, nr_others, report_plural(nr_others),
			    nr_others == 1 ? "it" : "these");
}

void fentry_report(struct fentry_query *query, u32 func_id, const struct fentry_target *target,
		   bool addresses, fentry_line_fn line, void *data)
{
	struct report report = {
		.query = query,
		.func_id = func_id,
		.target = target,
		.name = extra_object_func_name(query->object, func_id),
		.addresses = addresses,
		.line = line,
		.data = data,
	};

	switch (target->answer) {
	case FENTRY_SEVERAL:
		tell_several(&report);
		break;
	case FENTRY_ABI:
		fentry_walk_bodies(query->object, func_id, tell_abi, &report);
		break;
	case FENTRY_NO_BODY:
		tell_no_body(&report);
		break;
	case FENTRY_STUB:
		report_tell(&report,
			    "%s: inlined at %u site%s, no body: attaches to %s in a module inlined",
			    report.name, target->nr_inlined, report_plural(target->nr_inlined),
			    target->stub.name);
		break;
	case FENTRY_NO_TEXT:
		report_tell(&report, "%s: its text was freed after boot", report.name);
		break;
	default:
		break;
	}
	if (fentry_target_accepted(query, target) && target->nr_bodies && target->nr_inlined)
		tell_inlined(&report);
}
