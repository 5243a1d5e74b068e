// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_STEPS_H
#define BTF_EXTRA_STEPS_H

// Compares what each instruction of shapes_steps.h does under our probes with what it does without
// them. device: SHAPES_DEVICE.
void steps(int device);

#endif
