/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a function at a site: moves from the places of its LOC_PROTO to the places where
 * a program reads them. They are computed once and performed at each hit.
 */
#ifndef BTF_EXTRA_SITE_ARGS_H
#define BTF_EXTRA_SITE_ARGS_H

#include <linux/btf_extra.h>
#include <linux/ptrace.h>

#include "arch/arch.h"
#include "core/arg_place.h"
#include "core/btf_blob.h"
#include "core/loc_expression.h"
#include "core/loc_location.h"
#include "core/narrow_value.h"

struct arg_expression;
struct extra_blobs;

/* A program runs on this, see BTF_EXTRA_ARGS_MARK in the UAPI header. */
struct site_frame {
	struct pt_regs regs;
	/* The ones from BTF_EXTRA_ARGS_CODED on are not present between two hits. */
	struct btf_extra_arg args[BTF_EXTRA_ARGS_MAX];
	/*
	 * A tracing program runs on the slots instead, with one or two for each parameter as in
	 * struct arg_place. It also reads what a trampoline has before them.
	 */
	u64 function;
	u64 nr_slots;
	u64 slots[ARG_SLOTS_MAX];
	u64 stack[LOC_EXPRESSION_STACK];	/* of the expression that is evaluated */
};

/* The shape of a move is one of these, LOC_SHAPE_CONSTANT, _REGISTER or _MEMORY. */
enum {
	/* An expression that begins with a register, without loads and pieces; and any other one */
	ARG_SHAPE_COMPUTED = LOC_SHAPE_MEMORY + 1,
	ARG_SHAPE_EXPRESSION
};

/* value = extend(source, 64 - shift bits) & mask, 8 bytes to where it is to be. */
struct arg_move {
	u8 shape;
	u8 param;
	u8 shift;		/* 64 less the bits of the source */
	bool is_signed;		/* how they are extended */
	u16 from;		/* offset of the register in pt_regs */
	u16 to;			/* offset in struct site_frame */
	union {
		u64 operand;	/* the value of the location */
		const struct arg_expression *expression;	/* NULL: in the move before it */
	};
	u64 mask;
};

/* One parameter takes at most three moves: two halves, and that it is present. */
#define SITE_ARGS_MOVES 3u

struct site_args {
	u64 word;		/* for the program: mark, and where each parameter is */
	u64 located;		/* bit n: parameter n has a location */
	/* The ends of these kinds of moves, in bytes from the start: */
	u16 plain_end;		/* mere copies of a register, which come first */
	u16 simple_end;		/* all others that are not of expressions */
	u16 end;
	bool uncoded;		/* there are parameters from BTF_EXTRA_ARGS_CODED on */
	bool has_expressions;
	struct arg_move moves[];
};

static inline size_t site_args_size(u32 nr_params)
{
	return sizeof(struct site_args) + min_t(u32, nr_params, BTF_EXTRA_ARGS_MAX) *
	       SITE_ARGS_MOVES * sizeof(struct arg_move);
}

/* Returns how many bytes the expressions of a LOC_PROTO take at most. */
size_t site_args_room(const struct extra_blobs *blobs, u32 loc_proto, u32 nr_params);

/*
 * Fills *args, of site_args_size(nr_params) bytes, and room, of site_args_room() bytes and aligned
 * to 8, to which *args points. text: what an address constant counts from, 0: not known. Returns
 * how many bytes of room it took.
 */
size_t site_args_prepare(struct site_args *args, const struct extra_blobs *blobs, u32 loc_proto,
			 const struct arg_place *places, u32 nr_params, unsigned long text,
			 void *room);

/* Returns only site_args.located of the same. */
u64 site_args_located(const struct extra_blobs *blobs, u32 loc_proto,
		      const struct arg_place *places, u32 nr_params, unsigned long text);

/* Memory for a move; where it cannot be read, the parameter has no location at this hit. */
void site_args_read(const struct site_args *args, const struct arg_move *move, u64 address,
		    struct site_frame *frame);

/* A move of an expression, which may read memory, too. */
void site_args_evaluate(const struct arg_move *move, const struct pt_regs *regs,
			struct site_frame *frame, const struct site_args *args);

/* After a program has run on a frame with uncoded args. */
void site_args_forget(struct site_frame *frame);

static __always_inline u64 arg_move_extend(const struct arg_move *move, u64 value)
{
	if (move->shift)
		value = narrow_extend_shift(value, move->shift, move->is_signed);
	return value & move->mask;
}

/* Only the arguments: the rest of the frame is from an earlier hit. */
static __always_inline void site_args_move(const struct site_args *args,
					   const struct pt_regs *regs, struct site_frame *frame)
{
	const struct arg_move *move = args->moves;
	const struct arg_move *plain_end = (const void *)args + args->plain_end;
	const struct arg_move *end = (const void *)args + args->simple_end;

	*arch_args_word(&frame->regs) = args->word;
	for (; move < plain_end; move++)
		*(u64 *)((char *)frame + move->to) =
			*(const u64 *)((const char *)regs + move->from);
	for (; move < end; move++) {
		u64 value = move->operand;

		if (move->shape != LOC_SHAPE_CONSTANT)
			value += *(const u64 *)((const char *)regs + move->from);
		if (move->shape == LOC_SHAPE_MEMORY)
			site_args_read(args, move, value, frame);
		else
			*(u64 *)((char *)frame + move->to) = arg_move_extend(move, value);
	}
	if (likely(!args->has_expressions))
		return;
	for (end = (const void *)args + args->end; move < end; move++)
		site_args_evaluate(move, regs, frame, args);
}

/* The frame of a hit: nothing of it but args from an earlier one counts. */
static __always_inline void site_args_fill(const struct site_args *args,
					   const struct pt_regs *regs, struct site_frame *frame)
{
	frame->regs = *regs;
	site_args_move(args, regs, frame);
}

#endif
