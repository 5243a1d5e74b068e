// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_entry.h"
#include "loc_expression.h"
#include "range_search.h"

/* ---- codes ---- */

struct expression_decoder {
	struct loc_expression *expression;
	const struct loc_arch *arch;
	struct byte_view *view;
	u32 depth;		/* values on the stack */
	u32 pieces;		/* bytes of the value that pieces have given */
};

static bool decoder_number(struct expression_decoder *decoder, u64 *number)
{
	struct byte_view *view = decoder->view;
	u64 from = view->at;
	u32 shift = 0;
	u8 byte;

	*number = 0;
	do {
		/* The tenth byte has one bit of the 64, and its copies. */
		if (!byte_view_read(view, &byte, sizeof(byte)) ||
		    (shift == 63 && byte != 0 && byte != 0x7f)) {
			view->at = from;
			view->failed_at = from;
			return false;
		}
		*number |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64)
		*number = narrow_extend_bits(*number, shift, true);
	return true;
}

static enum btf_fault_code decoder_push(struct expression_decoder *decoder)
{
	return ++decoder->depth > LOC_EXPRESSION_DEPTH ? BTF_FAULT_EXPRESSION_LIMIT :
							 BTF_FAULT_NONE;
}

static enum btf_fault_code decoder_needs(const struct expression_decoder *decoder, u32 values)
{
	return decoder->depth < values ? BTF_FAULT_EXPRESSION_STACK : BTF_FAULT_NONE;
}

static enum btf_fault_code decode_value(struct expression_decoder *decoder, struct loc_step *step)
{
	const struct loc_register *found;

	if (step->code >= LOC_CODE_NUMBER) {
		if (!decoder_number(decoder, &step->operand))
			return BTF_FAULT_EXPRESSION_CUT;
		if (step->code == LOC_CODE_ADDRESS)
			decoder->expression->has_address = true;
		return decoder_push(decoder);
	}
	step->number = step->code - LOC_CODE_REGISTER;
	step->code = LOC_CODE_REGISTER;
	found = loc_arch_register(decoder->arch, step->number);
	if (!found)
		return BTF_FAULT_EXPRESSION_OPERATOR;
	step->saved_at = found->saved_at;
	return decoder_push(decoder);
}

static enum btf_fault_code decode_load(struct expression_decoder *decoder, struct loc_step *step)
{
	u8 log = step->code % 4;

	step->bits = (u8)(8 << log);
	step->code = (u8)(step->code - log);
	if (!decoder_number(decoder, &step->operand))
		return BTF_FAULT_EXPRESSION_CUT;
	decoder->expression->may_fail = true;
	if (++decoder->expression->nr_loads > LOC_EXPRESSION_LOADS)
		return BTF_FAULT_EXPRESSION_LIMIT;
	return decoder_needs(decoder, 1);
}

/* An extension or a check. */
static enum btf_fault_code decode_bits(struct expression_decoder *decoder, struct loc_step *step)
{
	if (step->code == LOC_CODE_FITS)
		decoder->expression->may_fail = true;
	if (!byte_view_read(decoder->view, &step->bits, sizeof(step->bits)))
		return BTF_FAULT_EXPRESSION_CUT;
	if (!step->bits || step->bits > 63)
		return BTF_FAULT_EXPRESSION_OPERATOR;
	return decoder_needs(decoder, 1);
}

static enum btf_fault_code decode_select(struct expression_decoder *decoder)
{
	enum btf_fault_code code = decoder_needs(decoder, 3);

	if (!code)
		decoder->depth -= 2;
	return code;
}

/* A piece does not lie in both halves of the value. */
static enum btf_fault_code decode_piece(struct expression_decoder *decoder, struct loc_step *step)
{
	u32 bytes = step->code - LOC_CODE_PIECE;
	u32 first = decoder->pieces;

	step->code = LOC_CODE_PIECE;
	step->bits = (u8)(8 * bytes);
	step->at = (u8)(8 * first);
	decoder->pieces += bytes;
	if (decoder->pieces > decoder->expression->size || first / 8 != (first + bytes - 1) / 8)
		return BTF_FAULT_EXPRESSION_SIZE;
	if (decoder->depth != 1)
		return BTF_FAULT_EXPRESSION_STACK;
	decoder->depth--;
	return BTF_FAULT_NONE;
}

static enum btf_fault_code decode_binary(struct expression_decoder *decoder, struct loc_step *step)
{
	enum btf_fault_code code;

	if (step->code >= LOC_CODE_ADD + LOC_CODE_WITH)
		return decoder_number(decoder, &step->operand) ? decoder_needs(decoder, 1) :
								 BTF_FAULT_EXPRESSION_CUT;
	code = decoder_needs(decoder, 2);
	if (!code)
		decoder->depth--;
	return code;
}

static enum btf_fault_code decode_step(struct expression_decoder *decoder, struct loc_step *step)
{
	u8 code;

	if (!byte_view_read(decoder->view, &code, sizeof(code)))
		return BTF_FAULT_EXPRESSION_CUT;
	*step = (struct loc_step){ .code = code };
	if (code <= LOC_CODE_ADDRESS)
		return decode_value(decoder, step);
	if (code >= LOC_CODE_LOAD && code < LOC_CODE_LOAD_SIGNED + 3)
		return decode_load(decoder, step);
	if (code == LOC_CODE_ZERO_EXTEND || code == LOC_CODE_SIGN_EXTEND || code == LOC_CODE_FITS)
		return decode_bits(decoder, step);
	if (code == LOC_CODE_NEGATE || code == LOC_CODE_COMPLEMENT)
		return decoder_needs(decoder, 1);
	if (code == LOC_CODE_SELECT)
		return decode_select(decoder);
	if (code > LOC_CODE_PIECE && code <= LOC_CODE_PIECE + 8)
		return decode_piece(decoder, step);
	if ((code >= LOC_CODE_ADD && code < LOC_CODE_BINARY_END) ||
	    (code >= LOC_CODE_ADD + LOC_CODE_WITH && code < LOC_CODE_BINARY_END + LOC_CODE_WITH))
		return decode_binary(decoder, step);
	return BTF_FAULT_EXPRESSION_OPERATOR;
}

/* One value is left, or pieces have given all of it. */
static enum btf_fault_code check_result(const struct expression_decoder *decoder)
{
	u32 size = decoder->expression->size;

	if (decoder->depth != (decoder->pieces ? 0 : 1))
		return BTF_FAULT_EXPRESSION_STACK;
	if (decoder->pieces ? decoder->pieces != size : size > 8)
		return BTF_FAULT_EXPRESSION_SIZE;
	return BTF_FAULT_NONE;
}

enum btf_fault_code loc_expression_decode(struct loc_expression *expression,
					  const struct loc_arch *arch, struct byte_view *view)
{
	struct expression_decoder decoder = {
		.expression = expression, .arch = arch, .view = view
	};
	enum btf_fault_code code = BTF_FAULT_NONE;
	u64 from = view->at;
	u8 head[2];
	u32 i;

	if (!byte_view_read(view, head, sizeof(head)))
		return BTF_FAULT_EXPRESSION_CUT;
	expression->size = head[0];
	expression->nr_steps = head[1];
	expression->nr_loads = 0;
	expression->may_fail = false;
	expression->has_address = false;
	view->failed_at = from;
	if (!expression->size || expression->size > LOC_PARAM_MAX_SIZE)
		return BTF_FAULT_EXPRESSION_SIZE;
	if (expression->nr_steps > LOC_EXPRESSION_OPERATORS)
		return BTF_FAULT_EXPRESSION_LIMIT;
	for (i = 0; !code && i < expression->nr_steps; i++) {
		from = view->at;
		code = decode_step(&decoder, &expression->steps[i]);
	}
	if (!code)
		code = check_result(&decoder);
	view->failed_at = from;
	return code;
}

/* ---- the section ---- */

static int expressions_refuse(struct btf_fault *fault, enum btf_fault_code code, u64 offset)
{
	fault->code = code;
	fault->type_id = 0;
	fault->offset = (u32)offset;
	return -EINVAL;
}

/* Entries in order have ascending keys. */
static u32 entry_key(const struct loc_expression_entry *entry)
{
	return (u32)entry->loc_proto << 8 | entry->param;
}

static int expressions_take(struct loc_expressions *expressions, const struct extra_bytes *bytes,
			    struct btf_fault *fault)
{
	struct byte_view view = byte_view_of(bytes->data, bytes->size, 0);
	struct loc_expressions_header header;
	u32 i;

	if (!byte_view_read(&view, &header, sizeof(header)) ||
	    header.magic != LOC_EXPRESSIONS_MAGIC || header.version != LOC_EXPRESSIONS_VERSION)
		return expressions_refuse(fault, BTF_FAULT_EXPRESSIONS_HEADER, 0);
	expressions->entries = byte_view_take(&view,
					      byte_array_size(header.nr_entries,
							      sizeof(*expressions->entries)));
	expressions->codes = byte_view_take(&view, header.codes_size);
	if (!expressions->entries || !expressions->codes || view.size - view.at != -view.at % 4)
		return expressions_refuse(fault, BTF_FAULT_EXPRESSIONS_HEADER, 0);
	expressions->nr_entries = header.nr_entries;
	expressions->first_loc_proto = header.first_loc_proto;
	expressions->codes_size = header.codes_size;
	for (i = 0; view.at + i < view.size; i++)
		if (view.data[view.at + i])
			return expressions_refuse(fault, BTF_FAULT_EXPRESSIONS_HEADER,
						  view.at + i);
	return 0;
}

/* The code of an entry may begin inside another one, if it is one, too. */
static int check_codes(const struct loc_expressions *expressions, u64 codes_at,
		       struct btf_fault *fault)
{
	struct byte_view view = byte_view_of(expressions->codes, expressions->codes_size, 0);
	struct loc_expression expression;

	while (view.at < view.size) {
		enum btf_fault_code code = loc_expression_decode(&expression, expressions->arch,
								 &view);

		if (code)
			return expressions_refuse(fault, code, codes_at + view.failed_at);
	}
	return 0;
}

static bool is_without_location(const struct btf_blob *func_info, u32 first_loc_proto,
				const struct loc_expression_entry *entry)
{
	u32 id = first_loc_proto + entry->loc_proto;
	const struct btf_type *proto = id < first_loc_proto || id < func_info->first_id ? NULL :
				       btf_blob_type(func_info, id);

	return proto && loc_kind(proto) == LOC_KIND_PROTO && entry->param < loc_vlen(proto) &&
	       !loc_proto_ids(proto)[entry->param];
}

static int check_entries(const struct loc_expressions *expressions,
			 const struct btf_blob *func_info, struct btf_fault *fault)
{
	const struct loc_expression_entry *entries = expressions->entries;
	struct loc_expression expression;
	u32 i;

	for (i = 0; i < expressions->nr_entries; i++) {
		struct byte_view code = byte_view_of(expressions->codes, expressions->codes_size,
						     loc_expression_entry_code(&entries[i]));

		if ((i && entry_key(&entries[i - 1]) >= entry_key(&entries[i])) ||
		    !is_without_location(func_info, expressions->first_loc_proto, &entries[i]) ||
		    loc_expression_decode(&expression, expressions->arch, &code))
			return expressions_refuse(fault, BTF_FAULT_EXPRESSION_ENTRY,
						  sizeof(struct loc_expressions_header) +
						  i * sizeof(*entries));
	}
	return 0;
}

int loc_expressions_open(struct loc_expressions *expressions, const struct extra_bytes *bytes,
			 const struct btf_blob *func_info, const struct loc_arch *arch,
			 struct btf_fault *fault)
{
	int err;

	memset(expressions, 0, sizeof(*expressions));
	if (!bytes->data)
		return 0;
	expressions->arch = arch;
	expressions->section = *bytes;
	err = expressions_take(expressions, bytes, fault);
	if (!err)
		err = check_codes(expressions, (u64)(expressions->codes - (const u8 *)bytes->data),
				  fault);
	return err ? err : check_entries(expressions, func_info, fault);
}

struct entry_key {
	const struct loc_expressions *expressions;
	u32 key;
};

static int compare_entry(const void *key, u32 i)
{
	const struct entry_key *wanted = key;
	u32 found = entry_key(&wanted->expressions->entries[i]);

	return (found > wanted->key) - (found < wanted->key);
}

bool loc_expressions_find(const struct loc_expressions *expressions, u32 loc_proto, u32 param,
			  struct loc_expression *expression)
{
	u32 proto = loc_proto - expressions->first_loc_proto;
	const struct entry_key key = { expressions, proto << 8 | param };
	struct byte_view code;
	u32 i;

	if (loc_proto < expressions->first_loc_proto || proto > 0xffff || param > 0xff)
		return false;
	i = lower_bound(0, expressions->nr_entries, 0, compare_entry, &key);
	if (i == expressions->nr_entries || compare_entry(&key, i))
		return false;
	code = byte_view_of(expressions->codes, expressions->codes_size,
			    loc_expression_entry_code(&expressions->entries[i]));
	return !loc_expression_decode(expression, expressions->arch, &code);
}
