/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The only file in which the core depends on its environment. Fixed-width types, mem*() and str*()
 * functions, errno values, struct btf_type, the UAPI and ELF headers come from the kernel or from
 * the C library. No other file in kernel/core may look at __KERNEL__.
 */
#ifndef BTF_EXTRA_CORE_ENV_H
#define BTF_EXTRA_CORE_ENV_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/btf.h>
#include <uapi/linux/btf_extra.h>
/* linux/elf.h would bring 400 headers more, for each file of the core. */
#include <uapi/linux/elf.h>
#else
#include <elf.h>
#include <errno.h>
#include <linux/btf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "../../include/uapi/linux/btf_extra.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;
#endif

#endif
