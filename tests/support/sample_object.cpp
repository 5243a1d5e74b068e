// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/sample_object.h"

#include <stdexcept>

#include <elf.h>

#include "tests/support/command_run.h"
#include "userspace/format/core_api.h"

namespace btf_extra::test {
namespace {

BlobBuilder build_base() {
    BlobBuilder base;
    uint32_t len = base.string("len"), skb = base.string("skb");
    base.type("int", BTF_KIND_INT, 0, 4, {BTF_INT_SIGNED << 24 | 32});  // 1
    base.type("unsigned int", BTF_KIND_INT, 0, 4, {32});                // 2
    base.type("sk_buff", BTF_KIND_STRUCT, 1, 4, {len, 2, 0});           // 3
    base.type("", BTF_KIND_CONST, 0, 3);                                // 4
    base.type("", BTF_KIND_PTR, 0, 4);                                  // 5
    base.type("", BTF_KIND_FUNC_PROTO, 1, 2, {skb, 5});                 // 6
    base.type("skb_headlen", BTF_KIND_FUNC, BTF_FUNC_STATIC, 6);        // 7
    return base;
}

BlobBuilder build_types(const BlobBuilder &base) {
    BlobBuilder types = BlobBuilder::above(base);
    uint32_t flags = types.string("flags"), p = types.string("p"), len = types.string("len");
    uint32_t a = types.string("a");
    types.type("", BTF_KIND_PTR, 0, 0);                                                  // 8
    types.type("", BTF_KIND_FUNC_PROTO, 4, 0, {flags, 1, p, 8, len, 2, 0, 0});           // 9
    types.type("", BTF_KIND_FUNC_PROTO, 0, 1);                                           // 10
    types.type("", BTF_KIND_FUNC_PROTO, 1, 1, {a, 1});                                   // 11
    types.type("report", BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 9);                             // 12
    types.type("twin", BTF_KIND_FUNC, BTF_FUNC_STATIC, 10);                              // 13
    types.type("twin", BTF_KIND_FUNC, BTF_FUNC_STATIC, 11);                              // 14
    types.type("file:a/twin.c", BTF_KIND_DECL_TAG, 0, 13, {static_cast<uint32_t>(-1)});  // 15
    types.type("file:b/twin.c", BTF_KIND_DECL_TAG, 0, 14, {static_cast<uint32_t>(-1)});  // 16
    return types;
}

BlobBuilder build_locations(const BlobBuilder &types) {
    BlobBuilder out = BlobBuilder::above(types);
    out.loc_param(8, LOC_REG, {5});                              // 17
    out.loc_param(4, LOC_REG | LOC_DEREF | LOC_OFFSET, {7, 8});  // 18
    out.loc_param(4, LOC_CONST, {0x10});                         // 19
    out.loc_param(8, LOC_CONST | LOC_ADDR, {0x200000, 0});       // 20
    out.loc_proto({17});                                         // 21
    out.loc_proto({0});                                          // 22
    out.loc_proto({19, 20, 18, 0});                              // 23
    out.loc_proto({0, 17, 0, 0});                                // 24
    out.loc_proto({});                                           // 25
    out.locsec("inline.text", {{7, 21, 0x4},
                               {7, 22, 0x10},
                               {12, 23, 0x8},
                               {12, 24, 0x8},
                               {13, 25, 0x4},
                               {14, 22, 0x18}});               // 26
    out.locsec("func.text", {{7, 21, 0x20}, {12, 24, 0x30}});  // 27
    return out;
}

std::vector<std::byte> build_id_note() {
    // The words are namesz, descsz, NT_GNU_BUILD_ID, "GNU" and the id.
    const unsigned char bytes[] = {4,   0,   0,   0, 8, 0, 0, 0, 3, 0, 0, 0,
                                   'G', 'N', 'U', 0, 1, 2, 3, 4, 5, 6, 7, 8};
    auto span = std::as_bytes(std::span(bytes));
    return {span.begin(), span.end()};
}

}  // namespace

SampleObject::SampleObject()
    : base(build_base()), types(build_types(base)), locations(build_locations(types)) {
    file.machine = EM_X86_64;
    file.types = types.bytes();
    file.func_info = locations.bytes(true);
    file.build_id_note = build_id_note();
    file.sections = {{".text", SHF_ALLOC | SHF_EXECINSTR, 0xffffffff81000000, 0x40}};
    file.base = {{static_cast<uint32_t>(base.bytes().size()), kSampleBaseCrc32}};
    Provenance provenance;
    provenance.base_end_id = base.end_id();
    provenance.base_end_string = base.end_string();
    provenance.inline_instances = 9;
    provenance.skipped_rust_units = 2;
    provenance.contradicted = 3;
    provenance.files = {"a/twin.c", "b/twin.c", "include/linux/skbuff.h"};
    provenance.func_files = {2, Provenance::kNoFile, 0, 1};
    provenance.variadic_funcs = {12};
    for (MissingReason reason : {
             MissingReason::kNoLocationHere,                            // 7 at 0x10
             MissingReason::kOptimizedOut, MissingReason::kArithmetic,  // 12 at 0x8
             MissingReason::kOptimizedOut,                              // 14 at 0x18
             MissingReason::kEntryValue, MissingReason::kSize,          // 12 at 0x30, a body
         })
        provenance.reasons.push_back(static_cast<uint8_t>(reason));
    file.provenance = provenance;
}

namespace {

std::vector<std::byte> joined(std::initializer_list<std::span<const std::byte>> parts) {
    std::vector<std::byte> out;
    for (const auto &part : parts)
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

}  // namespace

std::vector<std::byte> sample_frames(std::string_view file) {
    std::string strings = ".text";
    strings += '\0';
    const auto first = static_cast<uint32_t>(strings.size());
    strings += file;
    strings += '\0';
    const auto second = static_cast<uint32_t>(strings.size());
    strings += "include/x.h";
    strings.resize(strings.size() / 4 * 4 + 4);
    const uint32_t header[] = {INLINE_FRAMES_MAGIC,
                               1,
                               1 /* section */,
                               1 /* block */,
                               0,
                               0,
                               2 /* files */,
                               static_cast<uint32_t>(strings.size()),
                               20,
                               2 /* bodies */,
                               2,
                               0};
    const uint32_t section[] = {0, 2}, block[] = {0, 0}, files[] = {first, second};
    const uint8_t records[] = {
        0,          12 << 2, 0x20, 11, 1,  // FUNC 12, 11 bytes of instances, file 1
        7 << 3 | 4, 4,       12,   66, 6,  // FUNC 7, with calls: 4 after, 12 bytes, line 33
        13 << 3,    2,       0,    2,  3,  // FUNC 13: 2 after, in file 2, 3 bytes
        14,                                // line 7
        0,          7 << 2,  0x10, 0,      // FUNC 7
    };
    return joined({std::as_bytes(std::span(header)), std::as_bytes(std::span(section)),
                   std::as_bytes(std::span(block)), std::as_bytes(std::span(files)),
                   std::as_bytes(std::span(strings)), std::as_bytes(std::span(records))});
}

std::vector<std::byte> sample_lines() {
    const uint32_t header[] = {kLinesMagic, 1, 1 /* section */, 1 /* block */, 3 /* files */, 40,
                               15,          6 /* rows */};
    const uint32_t section[] = {0, 6}, block[] = {0, 0}, files[] = {6, 15, 27};
    const char strings[41] = ".text\0a/twin.c\0include/x.h\0include/y.h\0";
    const uint8_t records[] = {
        0 << 2 | 3,  1, 30,  // file 1
        4 << 2 | 3,  3, 5,   // file 3
        2 << 2 | 3,  2, 9,   // file 2
        6 << 2 | 1,  9,      // the file before the last one: 3; 5 lines less
        4 << 2 | 2,  8,      // the one before that: 1; 4 lines more
        16 << 2 | 3, 0,      // no file
    };
    return joined({std::as_bytes(std::span(header)), std::as_bytes(std::span(section)),
                   std::as_bytes(std::span(block)), std::as_bytes(std::span(files)),
                   std::as_bytes(std::span(strings)).first(40), std::as_bytes(std::span(records))});
}

std::string sample_kernel_source(const std::string &btf_path) {
    return R"(
        .text
        .globl host
        .type host, @function
host:   .skip 0x20
        .size host, . - host
        .type skb_headlen.isra.0, @function
skb_headlen.isra.0:
        .skip 0x10
        .size skb_headlen.isra.0, . - skb_headlen.isra.0
        .set skb_headlen.odd, skb_headlen.isra.0
        .globl report, a_label
        .weak a_report
        .type report, @function
        .type a_report, @function
a_label:
a_report:
report: .skip 0x10
        .size report, . - report
        .size a_report, . - a_report
        .data
        .globl jiffies
        .type jiffies, @object
jiffies:
        .quad 0
        .size jiffies, 8
        .section .BTF, "", @progbits
        .incbin ")" +
           btf_path + "\"\n";
}

void make_sample_kernel(const std::string &path, const std::string &btf_path,
                        const std::string &build_id) {
    std::string source = path + ".S";
    write_file(source, sample_kernel_source(btf_path));
    auto result = run_command({"gcc", "-nostdlib", "-static", "-no-pie", "-Wl,-e,host",
                               "-Wl,--build-id=0x" + build_id, "-Wl,-Ttext=0xffffffff81000000",
                               "-Wl,-Tdata=0xffffffff81200000", "-o", path, source});
    if (result.exit_code != 0)
        throw std::runtime_error("gcc: " + result.err);
}

}  // namespace btf_extra::test
