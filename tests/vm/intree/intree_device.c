// SPDX-License-Identifier: GPL-2.0
/* See intree_calls.h. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "intree_module.h"

static const intree_caller callers[INTREE_WHICH_COUNT] = {
	[INTREE_TWIN_HERE] = call_twin_here,
	[INTREE_TWIN_THERE] = call_twin_there,
	[INTREE_HALF_HERE] = call_half_here,
	[INTREE_HALF_THERE] = call_half_there,
	[INTREE_COPY_HERE] = call_copy_here,
	[INTREE_COPY_THERE] = call_copy_there,
	[INTREE_CROWD_HERE] = call_crowd_here,
	[INTREE_CROWD_THERE] = call_crowd_there,
	[INTREE_CROWD_ELSE] = call_crowd_else,
	[INTREE_UNUSED] = call_unused,
	[INTREE_PIECE] = call_piece,
	[INTREE_FIXED] = call_fixed,
	[INTREE_PART_INLINED] = call_part_inlined,
	[INTREE_PART_CALLED] = call_part_called,
	[INTREE_INLINED] = call_inlined,
};

static long intree_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct intree_call __user *user = (void __user *)argument;
	struct intree_call call;

	if (command != INTREE_IOC_CALL)
		return -ENOTTY;
	if (copy_from_user(&call, user, sizeof(call)))
		return -EFAULT;
	if (call.which >= INTREE_WHICH_COUNT || call.zero)
		return -EINVAL;
	call.returned = callers[call.which](call.args);
	return copy_to_user(user, &call, sizeof(call)) ? -EFAULT : 0;
}

static const struct file_operations intree_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = intree_ioctl,
};

static struct miscdevice intree_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "btf_extra_intree",
	.mode = 0600,
	.fops = &intree_operations,
};

module_misc_device(intree_device);
MODULE_DESCRIPTION("Functions whose name does not say which code is meant, for the tests of btf_extra");
MODULE_LICENSE("GPL");
