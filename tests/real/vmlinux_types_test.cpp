// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// libbpf and bpftool read the types that are made of a real kernel.
#include <algorithm>
#include <memory>
#include <set>

#include <bpf/btf.h>

#include "tests/support/vmlinux_suite.h"

namespace btf_extra {
namespace {

using test::run_btf_extra;

struct FreeBtf {
    void operator()(btf *p) const { btf__free(p); }
};
using LibbpfBtf = std::unique_ptr<btf, FreeBtf>;

class VmlinuxTypes : public test::VmlinuxSuite {
  protected:
    static LibbpfBtf libbpf_base() { return LibbpfBtf(btf__parse(kernel_path_.c_str(), nullptr)); }
    // Parses the section .BTF of the file itself. (libbpf 1.1 declares btf__new_split() but does
    // not export it.)
    static LibbpfBtf libbpf_types(btf *base) {
        return LibbpfBtf(btf__parse_split(file().c_str(), base));
    }
};

TEST_F(VmlinuxTypes, LibbpfReadsTheTypes) {
    const LibbpfBtf base = libbpf_base();
    ASSERT_NE(base, nullptr);
    const LibbpfBtf types = libbpf_types(base.get());
    ASSERT_NE(types, nullptr);
    const btf_blob &blob = view_->types().blob();
    EXPECT_EQ(btf__type_cnt(base.get()), blob.first_id);
    EXPECT_EQ(btf__type_cnt(types.get()), btf_blob_end_id(&blob));
    ASSERT_TRUE(view_->file().provenance);
    EXPECT_EQ(view_->file().provenance->base_end_id, btf__type_cnt(base.get()));

    const std::set<uint32_t> every_stock_kernel = {
        BTF_KIND_INT,        BTF_KIND_PTR,      BTF_KIND_ARRAY,    BTF_KIND_STRUCT,
        BTF_KIND_UNION,      BTF_KIND_ENUM,     BTF_KIND_FWD,      BTF_KIND_TYPEDEF,
        BTF_KIND_CONST,      BTF_KIND_VOLATILE, BTF_KIND_RESTRICT, BTF_KIND_FUNC,
        BTF_KIND_FUNC_PROTO, BTF_KIND_FLOAT,    BTF_KIND_DECL_TAG, BTF_KIND_VAR};
    std::set<uint32_t> kinds;
    uint64_t differing = 0;
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *theirs = btf__type_by_id(types.get(), id);
        const btf_type *ours = btf_blob_type(&blob, id);
        ASSERT_NE(theirs, nullptr) << id;
        ASSERT_NE(ours, nullptr) << id;
        kinds.insert(btf_kind(theirs));
        differing += theirs->info != ours->info || theirs->size != ours->size ||
                     std::string_view(btf__name_by_offset(types.get(), theirs->name_off)) !=
                         btf_blob_string(&blob, ours->name_off);
    }
    EXPECT_EQ(differing, 0u);
    for (const uint32_t kind : kinds)
        EXPECT_TRUE(every_stock_kernel.contains(kind)) << "kind " << kind;
}

// bpftool takes the types from the file itself.
TEST_F(VmlinuxTypes, BpftoolPrintsTheTypes) {
    const test::CommandResult printed = test::run_command(
        {"bpftool", "-B", kernel_path_, "btf", "dump", "file", file(), "format", "raw"});
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    const LibbpfBtf base = libbpf_base();
    const LibbpfBtf types = libbpf_types(base.get());
    ASSERT_NE(types, nullptr);
    const uint32_t first = btf__type_cnt(base.get()), end = btf__type_cnt(types.get());
    ASSERT_GT(end, first);
    size_t records = 0;
    for (size_t at = 0; at < printed.out.size(); at = printed.out.find('\n', at) + 1)
        records += printed.out[at] == '[' ? 1 : 0;
    EXPECT_EQ(records, end - first);
    EXPECT_TRUE(printed.out.starts_with("[" + std::to_string(first) + "] "));
}

// One file is compiled twice, for 64-bit and 32-bit programs: these are two functions.
TEST_F(VmlinuxTypes, FillThreadCoreInfoIsTwoFunctions) {
    const loc_range funcs = loc_index_by_name(&view_->index(), "fill_thread_core_info");
    ASSERT_EQ(funcs.end - funcs.first, 2u);
    const LibbpfBtf base = libbpf_base();
    const LibbpfBtf types = libbpf_types(base.get());
    ASSERT_NE(types, nullptr);
    std::set<std::set<std::string>> tags;
    std::set<uint32_t> protos;
    for (uint32_t i = funcs.first; i < funcs.end; i++) {
        const uint32_t func = view_->index().funcs[i];
        protos.insert(btf__type_by_id(types.get(), func)->type);
        std::set<std::string> of_func;
        for (uint32_t id = btf__type_cnt(base.get()); id < btf__type_cnt(types.get()); id++) {
            const btf_type *type = btf__type_by_id(types.get(), id);
            if (btf_is_decl_tag(type) && type->type == func)
                of_func.insert(btf__name_by_offset(types.get(), type->name_off));
        }
        tags.insert(of_func);
    }
    EXPECT_EQ(protos.size(), 2u) << "the same prototype";
    EXPECT_EQ(tags, (std::set<std::set<std::string>>{
                        {"file:fs/binfmt_elf.c", "unit:fs/binfmt_elf.c"},
                        {"file:fs/binfmt_elf.c", "unit:fs/compat_binfmt_elf.c"}}));
}

}  // namespace
}  // namespace btf_extra
