// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_STEPS_H
#define BTF_EXTRA_STEPS_H

struct btf_extra_tables;

// Compares what each instruction of shapes_steps.h does under our probes with what it does without
// them, and expects no probe at a CALL_STEP(). device: SHAPES_DEVICE.
void steps(int device, btf_extra_tables *tables);

#endif
