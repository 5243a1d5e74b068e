// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/loc_entry.h"
#include "site_args.h"

/* By DWARF number (x86-64 psABI, figure 3.36). */
static const u16 register_offsets[] = {
	offsetof(struct pt_regs, ax),  offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, cx),  offsetof(struct pt_regs, bx),
	offsetof(struct pt_regs, si),  offsetof(struct pt_regs, di),
	offsetof(struct pt_regs, bp),  offsetof(struct pt_regs, sp),
	offsetof(struct pt_regs, r8),  offsetof(struct pt_regs, r9),
	offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
	offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
};

/* The argument registers, in order. */
static const u16 argument_offsets[] = {
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
};

/* ---- working it out ---- */

/* A LOC_PARAM in terms of moves: the first one's source, and the register of a second half. */
struct arg_location {
	struct arg_move first;
	u32 size;		/* of the value, up to 16 */
	u16 high;		/* offset of the register with the other half of a pair */
	bool pair;
};

static bool find_register(u32 number, u16 *offset)
{
	if (number >= ARRAY_SIZE(register_offsets))
		return false;
	*offset = register_offsets[number];
	return true;
}

static u64 wide_value(const u32 *values, u32 nr, bool is_signed)
{
	if (nr > 1)
		return values[0] | (u64)values[1] << 32;
	return is_signed ? (u64)(s32)values[0] : values[0];
}

static bool read_location(const struct btf_type *param, unsigned long text,
			  struct arg_location *found)
{
	const u32 *values = loc_param_values(param);
	u32 flags = loc_param_flags(param);
	u32 nr = loc_vlen(param);
	bool is_signed = flags & LOC_SIGNED;

	*found = (struct arg_location){ .size = param->size, .first.is_signed = is_signed };
	if (flags & LOC_CONST) {
		found->first.source = ARG_FROM_CONSTANT;
		found->first.operand = wide_value(values, nr, is_signed);
		if (flags & LOC_ADDR)
			found->first.operand += text;
		return !(flags & LOC_ADDR) || text;
	}
	if (!(flags & LOC_REG) || !find_register(values[0], &found->first.from))
		return false;
	found->first.source = flags & LOC_DEREF ? ARG_FROM_POINTER : ARG_FROM_REGISTER;
	if (flags & LOC_OFFSET) {
		found->first.operand = wide_value(values + 1, nr - 1, is_signed);
	} else if (nr == 2) {
		found->pair = true;
		return find_register(values[1], &found->high);
	}
	return true;
}

/* The moves of one value, to one or two words at the given offsets of the frame. */
static u32 move_value(struct arg_move *moves, const struct arg_location *location,
		      const struct arg_place *place, u32 param, u16 low, u16 high)
{
	struct arg_move *move = &moves[0];
	u32 size = min(location->size, place->size);

	*move = location->first;
	move->param = param;
	move->to = low;
	move->shift = 64 - 8 * min(size, 8u);
	move->mask = ~0ull;
	if (place->size <= 8) {
		/* Below its full size SIGNED decides up to there, then the type does. */
		if (size == place->size)
			move->is_signed = place->is_signed;
		else if (!place->is_signed)
			move->mask = GENMASK_ULL(8 * place->size - 1, 0);
		return 1;
	}
	moves[1] = (struct arg_move){ .source = ARG_FROM_CONSTANT, .param = param,
				      .to = high, .mask = ~0ull };
	if (size > 8) {
		moves[1].source = location->first.source;
		moves[1].shift = 64 - 8 * (size - 8);
		moves[1].from = location->pair ? location->high : location->first.from;
		moves[1].operand = location->pair ? 0 : location->first.operand + 8;
	}
	return 2;
}

/* Whether the halves of a value can be told: no sums, no signs over more than 8 bytes. */
static bool can_move(const struct arg_location *location, const struct arg_place *place)
{
	const struct arg_move *first = &location->first;

	if (!place->size || !location->size || location->size > place->size || place->size > 16)
		return false;
	if (place->size > 8 && location->size < place->size && first->is_signed)
		return false;
	if (location->size <= 8)
		return true;
	return location->pair || first->source == ARG_FROM_POINTER;
}

static u32 set_word(struct arg_move *move, u32 param, u16 to, u64 value)
{
	*move = (struct arg_move){ .source = ARG_FROM_CONSTANT, .param = param, .to = to,
				   .operand = value, .mask = ~0ull };
	return 1;
}

static u16 argument_offset(u32 param)
{
	return offsetof(struct site_frame, args) + param * sizeof(struct btf_extra_arg);
}

static u32 prepare_param(struct site_args *args, struct arg_move *moves,
			 const struct arg_location *location, const struct arg_place *place,
			 u32 param)
{
	u16 at = argument_offset(param) + offsetof(struct btf_extra_arg, value);
	u32 code = BTF_EXTRA_ARGS_NONE;
	u32 nr = 0;
	u32 i;

	if (location)
		args->located |= BIT_ULL(param);
	if (!location) {
		/* Nothing that happens to be in its register is taken for it. */
		for (i = 0; i < place->nr_registers; i++)
			nr += set_word(&moves[nr], param,
				       argument_offsets[place->first_register + i], 0);
	} else if (place->nr_registers) {
		const u16 *to = &argument_offsets[place->first_register];

		nr = move_value(moves, location, place, param, to[0],
				to[place->nr_registers - 1]);
		code = place->first_register;
	} else {
		/* Before the value: memory that cannot be read takes it back. */
		nr = set_word(moves, param,
			      argument_offset(param) + offsetof(struct btf_extra_arg, present), 1);
		if (place->size <= 8)
			nr += set_word(&moves[nr], param, at + sizeof(u64), 0);
		nr += move_value(&moves[nr], location, place, param, at, at + sizeof(u64));
		code = BTF_EXTRA_ARGS_MEMORY;
	}
	if (param < BTF_EXTRA_ARGS_CODED) {
		args->word &= ~((u64)BTF_EXTRA_ARGS_NONE << 4 * param);
		args->word |= (u64)code << 4 * param;
	} else {
		args->uncoded = true;
	}
	return nr;
}

static bool is_plain(const struct arg_move *move)
{
	return move->source == ARG_FROM_REGISTER && !move->operand && !move->shift &&
	       move->mask == ~0ull;
}

/* All others keep their order. */
static void plain_first(struct site_args *args)
{
	u32 i;

	for (i = 0; i < args->nr_moves; i++) {
		struct arg_move move = args->moves[i];

		if (!is_plain(&move))
			continue;
		memmove(&args->moves[args->nr_plain + 1], &args->moves[args->nr_plain],
			(i - args->nr_plain) * sizeof(move));
		args->moves[args->nr_plain++] = move;
	}
}

void site_args_prepare(struct site_args *args, const struct btf_blob *types, u32 loc_proto,
		       const struct arg_place *places, u32 nr_params, unsigned long text)
{
	const struct btf_type *proto = btf_blob_type(types, loc_proto);
	u32 i;

	*args = (struct site_args){
		.word = BTF_EXTRA_ARGS_MARK << 48 | GENMASK_ULL(4 * BTF_EXTRA_ARGS_CODED - 1, 0),
	};
	for (i = 0; i < nr_params && i < BTF_EXTRA_ARGS_MAX; i++) {
		const struct btf_type *param = NULL;
		struct arg_location location;
		bool found;

		if (proto && i < loc_vlen(proto))
			param = btf_blob_type(types, loc_proto_ids(proto)[i]);
		found = param && read_location(param, text, &location) &&
			can_move(&location, &places[i]);
		args->nr_moves += prepare_param(args, &args->moves[args->nr_moves],
						found ? &location : NULL, &places[i], i);
	}
	plain_first(args);
}

/* ---- at a hit ---- */

static void put(struct site_frame *frame, u16 to, u64 value)
{
	*(u64 *)((char *)frame + to) = value;
}

static void take_back(const struct site_args *args, struct site_frame *frame, u32 param)
{
	u32 i;

	for (i = 0; i < args->nr_moves; i++)
		if (args->moves[i].param == param)
			put(frame, args->moves[i].to, 0);
	if (param < BTF_EXTRA_ARGS_CODED)
		frame->regs.orig_ax |= (u64)BTF_EXTRA_ARGS_NONE << 4 * param;
}

/* Of the two halves of a value the second one counts only if the first one could be read. */
static bool taken_back(const struct site_args *args, const struct arg_move *move,
		       const struct site_frame *frame)
{
	if (move == args->moves || move[-1].param != move->param ||
	    move[-1].source != ARG_FROM_POINTER)
		return false;
	if (move->param < BTF_EXTRA_ARGS_CODED)
		return (frame->regs.orig_ax >> 4 * move->param & BTF_EXTRA_ARGS_NONE) ==
		       BTF_EXTRA_ARGS_NONE;
	return !frame->args[move->param].present;
}

void site_args_read(const struct site_args *args, const struct arg_move *move, u64 address,
		    struct site_frame *frame)
{
	u64 value = 0;

	if (taken_back(args, move, frame))
		return;
	if (copy_from_kernel_nofault(&value, (const void *)address, 8 - move->shift / 8))
		take_back(args, frame, move->param);
	else
		put(frame, move->to, arg_move_extend(move, value));
}
NOKPROBE_SYMBOL(site_args_read);

void site_args_forget(struct site_frame *frame)
{
	u32 i;

	for (i = BTF_EXTRA_ARGS_CODED; i < BTF_EXTRA_ARGS_MAX; i++)
		frame->args[i].present = 0;
}
NOKPROBE_SYMBOL(site_args_forget);
