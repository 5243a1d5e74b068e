// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Declares the freestanding C core for C++.
#ifndef BTF_EXTRA_CORE_API_H
#define BTF_EXTRA_CORE_API_H

extern "C" {
#include "kernel/core/abi_check.h"
#include "kernel/core/arg_place.h"
#include "kernel/core/btf_blob.h"
#include "kernel/core/btf_type_walk.h"
#include "kernel/core/build_id_note.h"
#include "kernel/core/extra_blobs.h"
#include "kernel/core/func_suffix.h"
#include "kernel/core/func_text.h"
#include "kernel/core/inline_frames.h"
#include "kernel/core/loc_arch.h"
#include "kernel/core/loc_entry.h"
#include "kernel/core/loc_expression.h"
#include "kernel/core/loc_index.h"
#include "kernel/core/loc_location.h"
#include "kernel/core/loc_validate.h"
#include "kernel/core/name_glob.h"
#include "kernel/core/narrow_value.h"
#include "kernel/core/phantom_table.h"
#include "kernel/core/plain_text.h"
#include "kernel/core/site_marks.h"
#include "kernel/core/site_query.h"
}

#endif
