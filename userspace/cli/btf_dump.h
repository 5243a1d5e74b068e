// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// BTF records one by one, as `bpftool btf dump ... format raw` and `bpftool -j`
// write them; the location kinds as bpftool does from the 7.4 cycle on.
#ifndef BTF_EXTRA_BTF_DUMP_H
#define BTF_EXTRA_BTF_DUMP_H

#include <cstdint>
#include <string_view>

#include "userspace/cli/record_sink.h"
#include "userspace/format/core_api.h"

namespace btf_extra {

// A string as bpftool shows it: "(anon)" for offset 0, "(invalid)" for one that is not there;
// "(base)" for one in a base of which only the counts are known.
std::string_view shown_string(const btf_blob &blob, uint32_t offset);

// Any blob that btf_blob_open() took is safe, validated or not.
void dump_record(const btf_blob &blob, uint32_t id, RecordSink &sink);

}  // namespace btf_extra

#endif
