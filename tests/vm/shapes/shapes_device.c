// SPDX-License-Identifier: GPL-2.0
/* See shapes.h. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "shapes_module.h"

struct log {
	struct shape_record *records;
	u32 count;
};

static DEFINE_PER_CPU(struct log, logs);

noinline u64 (*shape_note_without(enum shape_id shape, u32 unknown))[2]
{
	struct log *log = this_cpu_ptr(&logs);
	struct shape_record *record = &log->records[log->count++];

	record->shape = shape;
	record->unknown = unknown;
	return record->args;
}

noinline u64 (*shape_note(enum shape_id shape))[2]
{
	return shape_note_without(shape, 0);
}

#define SHAPES_ENTRY(name, params) [SHAPE_##name] = call_##name,
static void (*const shape_calls[])(u64 random) = { SHAPES(SHAPES_ENTRY) };

/* Makes one step of splitmix64. */
static u64 next_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static u32 run_shapes(struct shape_record *records, const struct shapes_run *run)
{
	u64 state = run->seed;
	struct log *log;
	u32 count, which;

	preempt_disable();
	log = this_cpu_ptr(&logs);
	log->records = records;
	log->count = 0;
	while (log->count + SHAPES_AT_ONCE <= run->capacity) {
		which = run->only;
		if (which == SHAPES_COUNT)
			which = (next_random(&state) >> 32) * SHAPES_COUNT >> 32;
		shape_calls[which](next_random(&state));
	}
	count = log->count;
	log->records = NULL;
	preempt_enable();
	return count;
}

static long run_ioctl(struct shapes_run __user *argument)
{
	struct shape_record *records;
	struct shapes_run run;
	long ret = 0;

	if (copy_from_user(&run, argument, sizeof(run)))
		return -EFAULT;
	if (run.capacity < SHAPES_AT_ONCE || run.capacity > SHAPES_CAPACITY_MAX ||
	    run.only > SHAPES_COUNT)
		return -EINVAL;
	records = kvcalloc(run.capacity, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	run.count = run_shapes(records, &run);
	if (copy_to_user(u64_to_user_ptr(run.records), records, run.count * sizeof(*records)) ||
	    copy_to_user(argument, &run, sizeof(run)))
		ret = -EFAULT;
	kvfree(records);
	return ret;
}

static long step_ioctl(struct shapes_step __user *argument)
{
	struct shapes_step step;

	if (copy_from_user(&step, argument, sizeof(step)))
		return -EFAULT;
	if (step.step >= STEP_COUNT)
		return -EINVAL;
	shapes_do_step(&step);
	return copy_to_user(argument, &step, sizeof(step)) ? -EFAULT : 0;
}

static long shapes_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case SHAPES_IOC_RUN:
		return run_ioctl((void __user *)argument);
	case SHAPES_IOC_CROWD:
		shapes_crowd();
		return 0;
	case SHAPES_IOC_STEP:
		return step_ioctl((void __user *)argument);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations shapes_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = shapes_ioctl,
};

static struct miscdevice shapes_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "btf_extra_shapes",
	.mode = 0600,
	.fops = &shapes_operations,
};

module_misc_device(shapes_device);
MODULE_DESCRIPTION("Functions of every shape that write down their arguments, for the tests of btf_extra");
MODULE_LICENSE("GPL");
