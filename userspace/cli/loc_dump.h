// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Location records one by one, as bpftool prints them from the 7.4 cycle on: as `bpftool btf dump
// file FILE format raw` does, and as `bpftool -j` does.
#ifndef BTF_EXTRA_LOC_DUMP_H
#define BTF_EXTRA_LOC_DUMP_H

#include <cstdint>

#include "userspace/cli/record_sink.h"
#include "userspace/format/core_api.h"

namespace btf_extra {

// Any blob that btf_blob_open() took is safe, validated or not. A record of another kind is
// skipped.
void dump_record(const btf_blob &blob, uint32_t id, RecordSink &sink);

}  // namespace btf_extra

#endif
