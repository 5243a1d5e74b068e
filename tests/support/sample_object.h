// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A small .btf_extra file and its kernel. They have every case of a site that the commands
// distinguish. The texts in the tests are worked out by hand from these.
#ifndef BTF_EXTRA_TESTS_SAMPLE_OBJECT_H
#define BTF_EXTRA_TESTS_SAMPLE_OBJECT_H

#include <cstdint>
#include <string>

#include <elf.h>

#include "tests/support/blob_builder.h"
#include "userspace/format/extra_file.h"

namespace btf_extra::test {

inline constexpr char kSampleBuildId[] = "0102030405060708";

// The sum of base.bytes(), by Python's zlib.crc32(), which shares no code with ours.
inline constexpr uint32_t kSampleBaseCrc32 = 0x5c7e848c;

struct SampleObject {
    BlobBuilder base;
    BlobBuilder types;
    BlobBuilder locations;
    ExtraFile file;

    SampleObject();
};

// Frames for the object, whose file has none. They are written by hand:
//   0x00..0x20 host, the body of report()
//     0x04..0x10 skb_headlen(), called in a/twin.c:33, or in another file
//       0x06..0x09 twin(), called in include/x.h:7
//   0x20..0x30 skb_headlen.isra.0
std::vector<std::byte> sample_frames(std::string_view file = "a/twin.c");

// Lines for it, likewise:
//   0x00 a/twin.c:30  0x04 include/y.h:5  0x06 include/x.h:9  0x0c include/y.h, line 0
//   0x10 a/twin.c:34  0x20 not known
std::vector<std::byte> sample_lines();

// Returns source for gcc's assembler. .text is at 0xffffffff81000000, and .data 0x200000 above it:
//   0x00 host (global)  0x20 skb_headlen.isra.0 (local; and an alias)
//   0x30 report (global; and two aliases)
std::string sample_kernel_source(const std::string &btf_path);

// Links the kernel. The build-id is in hex digits. Throws what gcc complains about.
void make_sample_kernel(const std::string &path, const std::string &btf_path,
                        const std::string &build_id = kSampleBuildId);

}  // namespace btf_extra::test

#endif
