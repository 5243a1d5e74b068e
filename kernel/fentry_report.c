// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>

#include "fentry_report.h"

struct listing {
	struct fentry_report *report;
	struct fentry_query *query;
};

static void list_body(const struct btf_extra_site *site, void *data)
{
	struct listing *listing = data;
	struct fentry_report *report = listing->report;
	struct fentry_query *query = listing->query;
	struct fentry_body *body = &report->bodies[report->nr_listed];
	const char *file = extra_object_func_file(query->object, site->func_id);
	enum fentry_answer answer;

	if (report->nr_listed == FENTRY_MAX_LISTED)
		return;
	report->nr_listed++;
	*body = (struct fentry_body){ .id = fentry_id_of_body(query, site, &answer) };
	if (!(site->flags & BTF_EXTRA_SITE_FREED))
		body->address = site->address;
	/* The id that was asked for is no choice. */
	if (body->id == report->func_id)
		body->id = 0;
	if (body->id)
		strscpy(body->btf, fentry_btf_name(query->object, body->id), sizeof(body->btf));
	if (body->address && query->symbol_at(body->address, query->symbol))
		strscpy(body->symbol, query->symbol, sizeof(body->symbol));
	else
		strscpy(body->symbol, report->name, sizeof(body->symbol));
	if (file)
		strscpy(body->file, file, sizeof(body->file));
}

void fentry_report_fill(struct fentry_report *report, struct fentry_query *query, u32 func_id)
{
	struct listing listing = { .report = report, .query = query };

	/* Not all of it: most ids have nothing to list. */
	report->func_id = func_id;
	report->nr_listed = 0;
	fentry_target_of(query, func_id, &report->target);
	report->accepted = fentry_target_accepted(query, &report->target);
	strscpy(report->name, extra_object_func_name(query->object, func_id),
		sizeof(report->name));
	if (report->target.answer == FENTRY_SEVERAL || report->target.answer == FENTRY_ABI)
		fentry_walk_bodies(query->object, func_id, list_body, &listing);
}

/* ---- telling it ---- */

struct teller {
	fentry_line_fn line;
	void *data;
	char text[512];
};

static __printf(2, 3) void tell(struct teller *teller, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vscnprintf(teller->text, sizeof(teller->text), format, args);
	va_end(args);
	teller->line(teller->text, teller->data);
}

static const char *plural(u32 nr)
{
	return nr == 1 ? "" : "s";
}

static void tell_bodies(struct teller *teller, const struct fentry_report *report, bool addresses)
{
	bool choice = false;
	u32 i;

	for (i = 0; i < report->nr_listed; i++) {
		const struct fentry_body *body = &report->bodies[i];
		char address[24] = "(hidden)", id[96] = "no id of its own";

		if (addresses)
			scnprintf(address, sizeof(address), "%016lx", body->address);
		if (body->id)
			scnprintf(id, sizeof(id), "id %u of %s", body->id, body->btf);
		tell(teller, "  %s %s%s%s: %s", address, body->symbol, *body->file ? ", " : "",
		     body->file, id);
		choice |= body->id;
	}
	if (report->target.nr_bodies > report->nr_listed)
		tell(teller, "  and %u more", report->target.nr_bodies - report->nr_listed);
	if (choice)
		tell(teller, "To choose one, attach by its id; debugfs has all in btf_extra/sites");
	else
		tell(teller, "A kloc program takes all of them; see btf-extra lookup --name %s",
		     report->name);
}

static void tell_several(struct teller *teller, const struct fentry_report *report, bool addresses)
{
	const struct fentry_target *target = &report->target;

	if (target->own)
		tell(teller, "%s: id %u stands for %u bodies, and does not say which is meant:",
		     report->name, report->func_id, target->nr_bodies);
	else if (report->accepted)
		tell(teller, "%s: of %u bodies with this name the first in kallsyms is taken:",
		     report->name, target->nr_bodies);
	else
		tell(teller, "%s: %u bodies have this name, and btf_extra.strict is set:",
		     report->name, target->nr_bodies);
	tell_bodies(teller, report, addresses);
}

static void tell_abi(struct teller *teller, const struct fentry_report *report)
{
	const struct abi_fault *fault = &report->target.abi;
	const struct fentry_body *body = &report->bodies[0];

	switch (fault->kind) {
	case ABI_FAULT_PARAMETER:
		tell(teller, "%s: body %s: parameter %s %s", report->name, body->symbol,
		     fault->param, fault->where);
		break;
	case ABI_FAULT_RESULT:
		tell(teller, "%s: body %s: what it returns may be optimized out", report->name,
		     body->symbol);
		break;
	default:
		tell(teller, "%s: body %s: where its parameters are cannot be told",
		     report->name, body->symbol);
		break;
	}
	if (body->id)
		tell(teller, "Id %u of %s is %s with the parameters that it has", body->id,
		     body->btf, body->symbol);
	else
		tell(teller, "A kloc program gets what is there; see btf-extra lookup --name %s",
		     report->name);
}

static void tell_no_body(struct teller *teller, const struct fentry_report *report)
{
	const struct fentry_target *target = &report->target;

	if (!target->nr_inlined && !target->nr_parts)
		tell(teller, "%s: no code of it is known", report->name);
	else
		tell(teller, "%s: inlined at %u site%s, %s: use kloc (btf-extra lookup --name %s)",
		     report->name, target->nr_inlined, plural(target->nr_inlined),
		     target->nr_parts ? "only rests of it have a body" : "no body", report->name);
}

void fentry_report_tell(const struct fentry_report *report, bool addresses,
			fentry_line_fn line, void *data)
{
	const struct fentry_target *target = &report->target;
	struct teller teller = { .line = line, .data = data };

	switch (target->answer) {
	case FENTRY_SEVERAL:
		tell_several(&teller, report, addresses);
		break;
	case FENTRY_ABI:
		tell_abi(&teller, report);
		break;
	case FENTRY_NO_BODY:
		tell_no_body(&teller, report);
		break;
	case FENTRY_NO_TEXT:
		tell(&teller, "%s: its text was freed after boot", report->name);
		break;
	default:
		break;
	}
	if (report->accepted && target->nr_bodies && target->nr_inlined)
		tell(&teller, "%s: also inlined at %u site%s: fentry will miss %s, kloc would not",
		     report->name, target->nr_inlined, plural(target->nr_inlined),
		     target->nr_inlined == 1 ? "it" : "these");
}
