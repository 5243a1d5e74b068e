// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/extra_blobs.h"
#include "core/loc_arch.h"
#include "core/loc_entry.h"
#include "core/loc_expression.h"
#include "kloc/site_args.h"

/* The steps of an expression, for hits. */
struct arg_expression {
	u32 nr_steps;
	u32 nr_words;		/* 2: the next move has the upper half of the value */
	struct loc_step steps[];
};

/* ---- working it out ---- */

/* A location in terms of moves: the first one's source, and the register of a second half. */
struct arg_location {
	struct arg_move first;
	u32 size;		/* of the value, up to 16 */
	u16 high;		/* offset of the register with the other half of a pair */
	bool pair;
	struct loc_expression expression;	/* of ARG_SHAPE_COMPUTED and _EXPRESSION */
};

static bool find_register(u32 number, u16 *offset)
{
	const struct loc_register *found = loc_arch_register(loc_arch_running(), number);

	if (!found)
		return false;
	*offset = found->saved_at;
	return true;
}

static u16 argument_register(u32 argument)
{
	const struct loc_arch *arch = loc_arch_running();

	return arch->registers[arch->arguments[argument]].saved_at;
}

static bool read_location(const struct btf_type *param, unsigned long text,
			  struct arg_location *found)
{
	struct loc_location location;

	if (loc_location_read(&location, param))
		return false;
	found->size = location.size;
	found->first = (struct arg_move){ .shape = location.shape,
					  .is_signed = location.is_signed,
					  .operand = location.value };
	found->pair = false;
	switch (location.shape) {
	case LOC_SHAPE_CONSTANT:
		return true;
	case LOC_SHAPE_ADDRESS:
		found->first.shape = LOC_SHAPE_CONSTANT;
		found->first.operand += text;
		return text;
	case LOC_SHAPE_PAIR:
		found->first.shape = LOC_SHAPE_REGISTER;
		found->pair = true;
		if (!find_register(location.registers[1], &found->high))
			return false;
		break;
	default:
		break;
	}
	return find_register(location.registers[0], &found->first.from);
}

/* A value of pieces ends with one. */
static bool is_computed(const struct loc_expression *expression)
{
	const struct loc_step *last = &expression->steps[expression->nr_steps - 1];

	return expression->steps[0].code == LOC_CODE_REGISTER && !expression->may_fail &&
	       last->code != LOC_CODE_PIECE;
}

static bool read_expression(const struct loc_expressions *expressions, u32 loc_proto, u32 param,
			    unsigned long text, struct arg_location *found)
{
	if (!loc_expressions_find(expressions, loc_proto, param, &found->expression))
		return false;
	found->size = found->expression.size;
	found->first = (struct arg_move){
		.shape = is_computed(&found->expression) ? ARG_SHAPE_COMPUTED :
							   ARG_SHAPE_EXPRESSION
	};
	found->pair = false;
	return text || !found->expression.has_address;
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
	moves[1] = (struct arg_move){ .shape = LOC_SHAPE_CONSTANT, .param = param,
				      .to = high, .mask = ~0ull };
	if (size > 8) {
		moves[1].shape = location->first.shape;
		moves[1].shift = 64 - 8 * (size - 8);
		moves[1].from = location->pair ? location->high : location->first.from;
		if (location->first.shape == LOC_SHAPE_MEMORY)
			moves[1].operand = location->first.operand + 8;
	}
	return 2;
}

/* Returns true if the halves of a value are known: no sums, no signs over more than 8 bytes. */
static bool can_move(const struct arg_location *location, const struct arg_place *place)
{
	const struct arg_move *first = &location->first;

	if (!place->size || !location->size || location->size > place->size || place->size > 16)
		return false;
	if (place->size > 8 && location->size < place->size && first->is_signed)
		return false;
	if (location->size <= 8)
		return true;
	return location->pair || first->shape >= LOC_SHAPE_MEMORY;
}

static u32 set_word(struct arg_move *move, u32 param, u16 to, u64 value)
{
	*move = (struct arg_move){ .shape = LOC_SHAPE_CONSTANT, .param = param, .to = to,
				   .operand = value, .mask = ~0ull };
	return 1;
}

static u16 argument_offset(u32 param)
{
	return offsetof(struct site_frame, args) + param * sizeof(struct btf_extra_arg);
}

static u16 slot_offset(u32 slot)
{
	return offsetof(struct site_frame, slots) + slot * sizeof(u64);
}

/* No program that can read the slots of a parameter without location is attached. */
static u32 prepare_slots(struct arg_move *moves, const struct arg_location *location,
			 const struct arg_place *place, u32 param, u32 *code)
{
	u32 last = place->first_slot + place->nr_slots - 1;
	u32 nr = 0;
	u32 slot;

	if (location) {
		*code = BTF_EXTRA_ARGS_MEMORY;
		return move_value(moves, location, place, param, slot_offset(place->first_slot),
				  slot_offset(last));
	}
	for (slot = place->first_slot; slot <= last; slot++)
		nr += set_word(&moves[nr], param, slot_offset(slot), 0);
	return nr;
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
	if (place->nr_slots) {
		nr = prepare_slots(moves, location, place, param, &code);
	} else if (!location) {
		/* The previous contents of its register are not an argument. */
		for (i = 0; i < place->nr_registers; i++)
			nr += set_word(&moves[nr], param,
				       argument_register(place->first_register + i), 0);
	} else if (place->nr_registers) {
		u32 first = place->first_register;

		nr = move_value(moves, location, place, param, argument_register(first),
				argument_register(first + place->nr_registers - 1));
		code = first;
	} else {
		/* Before the value: if memory cannot be read, it is cleared again. */
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
	return move->shape == LOC_SHAPE_REGISTER && !move->operand && !move->shift &&
	       move->mask == ~0ull;
}

static u32 move_order(const struct arg_move *move)
{
	if (move->shape > LOC_SHAPE_MEMORY)
		return 2;
	return is_plain(move) ? 0 : 1;
}

/* Moves of one kind keep their order. */
static void sort_moves(struct site_args *args, u32 nr)
{
	u16 *const ends[] = { &args->plain_end, &args->simple_end, &args->end };
	u32 done = 0;
	u32 order, i;

	for (order = 0; order < ARRAY_SIZE(ends); order++) {
		for (i = done; i < nr; i++) {
			struct arg_move move = args->moves[i];

			if (move_order(&move) != order)
				continue;
			memmove(&args->moves[done + 1], &args->moves[done],
				(i - done) * sizeof(move));
			args->moves[done++] = move;
		}
		*ends[order] = offsetof(struct site_args, moves) + done * sizeof(struct arg_move);
	}
}

/* Returns false if parameter i of a LOC_PROTO has no location. */
static bool find_location(const struct extra_blobs *blobs, u32 loc_proto, u32 i,
			  const struct arg_place *place, unsigned long text,
			  struct arg_location *location)
{
	const struct btf_type *proto = btf_blob_type(&blobs->func_info, loc_proto);
	const struct btf_type *param = NULL;
	bool found;

	if (proto && i < loc_vlen(proto))
		param = btf_blob_type(&blobs->func_info, loc_proto_ids(proto)[i]);
	if (param)
		found = read_location(param, text, location);
	else
		found = read_expression(&blobs->expressions, loc_proto, i, text, location);
	return found && can_move(location, place);
}

u64 site_args_located(const struct extra_blobs *blobs, u32 loc_proto,
		      const struct arg_place *places, u32 nr_params, unsigned long text)
{
	struct arg_location location;
	u64 located = 0;
	u32 i;

	for (i = 0; i < nr_params && i < BTF_EXTRA_ARGS_MAX; i++)
		if (find_location(blobs, loc_proto, i, &places[i], text, &location))
			located |= BIT_ULL(i);
	return located;
}

static size_t expression_room(const struct loc_expression *expression)
{
	return sizeof(struct arg_expression) + expression->nr_steps * sizeof(struct loc_step);
}

size_t site_args_room(const struct extra_blobs *blobs, u32 loc_proto, u32 nr_params)
{
	struct loc_expression expression;
	size_t size = 0;
	u32 i;

	for (i = 0; i < nr_params && i < BTF_EXTRA_ARGS_MAX; i++)
		if (loc_expressions_find(&blobs->expressions, loc_proto, i, &expression))
			size += expression_room(&expression);
	return size;
}

/* Makes one step of a register and an operator that takes it as the right one. */
static bool join_register(struct loc_step *step, const struct loc_step *next)
{
	if (step->code != LOC_CODE_REGISTER || next->code < LOC_CODE_ADD ||
	    next->code >= LOC_CODE_BINARY_END)
		return false;
	step->code = next->code + LOC_CODE_WITH_REGISTER;
	return true;
}

/*
 * The base of addresses stays, so they become numbers. The first step stays as it is, see
 * loc_steps_run_on(). Returns the bytes that it took.
 */
static size_t put_expression(struct arg_location *location, unsigned long text, void *room)
{
	const struct loc_expression *from = &location->expression;
	struct arg_expression *expression = room;
	u32 i;

	if (location->first.shape <= LOC_SHAPE_MEMORY)
		return 0;
	location->first.expression = expression;
	expression->nr_steps = 0;
	expression->nr_words = from->size > 8 ? 2 : 1;
	for (i = 0; i < from->nr_steps; i++) {
		struct loc_step *step = &expression->steps[expression->nr_steps++];

		*step = from->steps[i];
		if (step->code == LOC_CODE_ADDRESS) {
			step->code = LOC_CODE_NUMBER;
			step->operand += text;
		}
		if (i && i + 1 < from->nr_steps && join_register(step, &from->steps[i + 1]))
			i++;
	}
	return expression_room(from);
}

size_t site_args_prepare(struct site_args *args, const struct extra_blobs *blobs, u32 loc_proto,
			 const struct arg_place *places, u32 nr_params, unsigned long text,
			 void *room)
{
	size_t used = 0;
	u32 nr_moves = 0;
	u32 i;

	*args = (struct site_args){
		.word = BTF_EXTRA_ARGS_MARK << 48 | GENMASK_ULL(4 * BTF_EXTRA_ARGS_CODED - 1, 0),
	};
	for (i = 0; i < nr_params && i < BTF_EXTRA_ARGS_MAX; i++) {
		struct arg_location location;
		bool found = find_location(blobs, loc_proto, i, &places[i], text, &location);

		if (found)
			used += put_expression(&location, text, room + used);
		nr_moves += prepare_param(args, &args->moves[nr_moves], found ? &location : NULL,
					  &places[i], i);
	}
	sort_moves(args, nr_moves);
	args->has_expressions = used;
	return used;
}

/* ---- at a hit ---- */

static void args_put(struct site_frame *frame, u16 to, u64 value)
{
	*(u64 *)((char *)frame + to) = value;
}

static void take_back(const struct site_args *args, struct site_frame *frame, u32 param)
{
	const struct arg_move *end = (const void *)args + args->end;
	const struct arg_move *move;

	for (move = args->moves; move < end; move++)
		if (move->param == param)
			args_put(frame, move->to, 0);
	if (param < BTF_EXTRA_ARGS_CODED)
		*arch_args_word(&frame->regs) |= (u64)BTF_EXTRA_ARGS_NONE << 4 * param;
}
NOKPROBE_SYMBOL(take_back);

/* The second half of a value counts only if the first one could be read. */
static bool taken_back(const struct site_args *args, const struct arg_move *move,
		       struct site_frame *frame)
{
	if (move == args->moves || move[-1].param != move->param ||
	    move[-1].shape != LOC_SHAPE_MEMORY)
		return false;
	if (move->param < BTF_EXTRA_ARGS_CODED)
		return (*arch_args_word(&frame->regs) >> 4 * move->param & BTF_EXTRA_ARGS_NONE) ==
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
		args_put(frame, move->to, arg_move_extend(move, value));
}
NOKPROBE_SYMBOL(site_args_read);

static __always_inline bool expression_load(void *value, u64 address, u32 bytes)
{
	return !copy_from_kernel_nofault(value, (const void *)address, bytes);
}

static noinline void evaluate_any(const struct arg_move *move, const struct pt_regs *regs,
				  struct site_frame *frame, const struct site_args *args)
{
	const struct loc_machine_state state = { .registers = regs };
	const struct arg_expression *expression = move->expression;
	u64 value[2];

	if (!expression)
		return;
	if (!loc_steps_run_on(frame->stack, expression->steps, expression->nr_steps, &state,
			      expression_load, value)) {
		take_back(args, frame, move->param);
		return;
	}
	args_put(frame, move->to, arg_move_extend(move, value[0]));
	if (expression->nr_words > 1)
		args_put(frame, move[1].to, arg_move_extend(&move[1], value[1]));
}
NOKPROBE_SYMBOL(evaluate_any);

/* Most expressions take this one. It calls nothing and so has no registers to save. */
void site_args_evaluate(const struct arg_move *move, const struct pt_regs *regs,
			struct site_frame *frame, const struct site_args *args)
{
	const struct loc_machine_state state = { .registers = regs };
	u64 value[1];

	if (move->shape != ARG_SHAPE_COMPUTED) {
		evaluate_any(move, regs, frame, args);
		return;
	}
	loc_steps_run_on(frame->stack, move->expression->steps, move->expression->nr_steps, &state,
			 NULL, value);
	args_put(frame, move->to, arg_move_extend(move, value[0]));
}
NOKPROBE_SYMBOL(site_args_evaluate);

void site_args_forget(struct site_frame *frame)
{
	u32 i;

	for (i = BTF_EXTRA_ARGS_CODED; i < BTF_EXTRA_ARGS_MAX; i++)
		frame->args[i].present = 0;
}
NOKPROBE_SYMBOL(site_args_forget);
