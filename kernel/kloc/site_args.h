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
#include "core/loc_location.h"
#include "core/narrow_value.h"

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
};

/* value = extend(source, 64 - shift bits) & mask, 8 bytes to where it is to be. */
struct arg_move {
	u8 shape;		/* LOC_SHAPE_CONSTANT, _REGISTER, _MEMORY; operand is its value */
	u8 param;
	u8 shift;		/* 64 less the bits of the source */
	bool is_signed;		/* how they are extended */
	u16 from;		/* offset of the register in pt_regs */
	u16 to;			/* offset in struct site_frame */
	u64 operand;
	u64 mask;
};

/* One parameter takes at most three moves: two halves, and that it is present. */
#define SITE_ARGS_MOVES 3u

struct site_args {
	u64 word;		/* for the program: mark, and where each parameter is */
	u64 located;		/* bit n: parameter n has a location */
	u32 nr_plain;		/* moves that are mere copies of a register; they come first */
	u32 nr_moves;
	bool uncoded;		/* there are parameters from BTF_EXTRA_ARGS_CODED on */
	struct arg_move moves[];
};

static inline size_t site_args_size(u32 nr_params)
{
	return sizeof(struct site_args) + min_t(u32, nr_params, BTF_EXTRA_ARGS_MAX) *
	       SITE_ARGS_MOVES * sizeof(struct arg_move);
}

/*
 * Fills *args, of site_args_size(nr_params) bytes. text: what an address constant
 * counts from, 0: not known. types: the blob that holds the LOC_PROTO, on all others.
 */
void site_args_prepare(struct site_args *args, const struct btf_blob *types, u32 loc_proto,
		       const struct arg_place *places, u32 nr_params, unsigned long text);

/* Returns only site_args.located of the same. */
u64 site_args_located(const struct btf_blob *types, u32 loc_proto, const struct arg_place *places,
		      u32 nr_params, unsigned long text);

/* Memory for a move; where it cannot be read, the parameter has no location at this hit. */
void site_args_read(const struct site_args *args, const struct arg_move *move, u64 address,
		    struct site_frame *frame);

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
	const struct arg_move *plain_end = move + args->nr_plain;
	const struct arg_move *end = move + args->nr_moves;

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
}

/* The frame of a hit: nothing of it but args from an earlier one counts. */
static __always_inline void site_args_fill(const struct site_args *args,
					   const struct pt_regs *regs, struct site_frame *frame)
{
	frame->regs = *regs;
	site_args_move(args, regs, frame);
}

#endif
