// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fentry_report.h"

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

/* A line that there is no memory for is left out. */
static __printf(2, 3) void tell(struct report *report, const char *format, ...)
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

static const char *plural(u32 nr)
{
	return nr == 1 ? "" : "s";
}

/* The id that attaches to just this body; 0: none but, maybe, the one that was asked for. */
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
	tell(report, "  %s %s%s%s: %s", address, symbol_of(report, body), file ? ", " : "",
	     file ?: "", id);
}

static void tell_bodies(struct report *report)
{
	u32 nr_bodies = report->target->nr_bodies;

	fentry_walk_bodies(report->query->object, report->func_id, tell_body, report);
	if (nr_bodies > report->nr_listed)
		tell(report, "  and %u more", nr_bodies - report->nr_listed);
	if (report->choice)
		tell(report, "To choose one, attach by its id; debugfs has all in btf_extra/sites");
	else
		tell(report, "A kloc program takes all of them; see btf-extra lookup --name %s",
		     report->name);
}

static void tell_several(struct report *report)
{
	const struct fentry_target *target = report->target;

	if (target->own)
		tell(report, "%s: id %u stands for %u bodies, and does not say which is meant:",
		     report->name, report->func_id, target->nr_bodies);
	else if (fentry_target_accepted(report->query, target))
		tell(report, "%s: of %u bodies with this name the first in kallsyms is taken:",
		     report->name, target->nr_bodies);
	else
		tell(report, "%s: %u bodies have this name, and btf_extra.strict is set:",
		     report->name, target->nr_bodies);
	tell_bodies(report);
}

/* Its one body. */
static void tell_abi(const struct btf_extra_site *body, void *data)
{
	struct report *report = data;
	const struct abi_fault *fault = &report->target->abi;
	u32 other = other_id_of(report, body);
	const char *symbol = symbol_of(report, body);

	switch (fault->kind) {
	case ABI_FAULT_PARAMETER:
		tell(report, "%s: body %s: parameter %s %s", report->name, symbol, fault->param,
		     fault->where);
		break;
	case ABI_FAULT_RESULT:
		tell(report, "%s: body %s: what it returns may be optimized out", report->name,
		     symbol);
		break;
	default:
		tell(report, "%s: body %s: where its parameters are cannot be told", report->name,
		     symbol);
		break;
	}
	if (other)
		tell(report, "Id %u of %s is %s with the parameters that it has", other,
		     fentry_btf_name(report->query->object, other), symbol);
	else
		tell(report, "A kloc program gets what is there; see btf-extra lookup --name %s",
		     report->name);
}

static void tell_no_body(struct report *report)
{
	const struct fentry_target *target = report->target;

	if (!target->nr_inlined && !target->nr_parts)
		tell(report, "%s: no code of it is known", report->name);
	else
		tell(report, "%s: inlined at %u site%s, %s: use kloc (btf-extra lookup --name %s)",
		     report->name, target->nr_inlined, plural(target->nr_inlined),
		     target->nr_parts ? "only rests of it have a body" : "no body", report->name);
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
	case FENTRY_NO_TEXT:
		tell(&report, "%s: its text was freed after boot", report.name);
		break;
	default:
		break;
	}
	if (fentry_target_accepted(query, target) && target->nr_bodies && target->nr_inlined)
		tell(&report, "%s: also inlined at %u site%s: fentry will miss %s, kloc would not",
		     report.name, target->nr_inlined, plural(target->nr_inlined),
		     target->nr_inlined == 1 ? "it" : "these");
}
