/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Everything that is checked of the blobs before anyone trusts them.
 */
#ifndef BTF_EXTRA_LOC_VALIDATE_H
#define BTF_EXTRA_LOC_VALIDATE_H

#include "btf_blob.h"

/*
 * Checks every record of the types blob: the kinds that stock kernels take, and no location kind.
 * Its FUNCs are one run of ids in bytewise order of name. The blob and all below it must be opened
 * and indexed; references into a base of which only the counts are known are trusted. A base with
 * bytes need not have passed this check. 0, or -EINVAL with *fault filled.
 */
int loc_validate_types(const struct btf_blob *types, struct btf_fault *fault);

/*
 * Checks every record of func_info: location kinds, and (the inline layout: types and locations in
 * one blob) the others as loc_validate_types() does. In the split layout loc_validate_types()
 * checks the types blob first. A LOC_PARAM, LOC_PROTO that is referred to must be of this blob.
 * Kinds after LOCSEC, which the layout skips, are not examined. Offsets are not compared with their
 * ELF section, because BTF does not contain its size. machine: e_machine of ELF, which decides what
 * registers there are. Conditions and codes as above.
 */
int loc_validate(const struct btf_blob *func_info, u32 machine, struct btf_fault *fault);

/*
 * "inline.text" or bare ".text" -> LOC_CLASS_INLINE and ".text" (which points
 * into name). false, and nothing written, for any other name.
 */
bool loc_section_name(const char *name, u32 *loc_class, const char **elf_section);

#endif
