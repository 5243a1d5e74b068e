// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/vmlinux_suite.h"

#include <cstdlib>

namespace btf_extra::test {

void VmlinuxSuite::SetUpTestSuite() {
    const char *path = std::getenv("BTF_EXTRA_VMLINUX");
    if (!path || !*path)
        return;
    kernel_path_ = path;
    folder_ = std::make_unique<TemporaryFolder>();
    const CommandResult made = generate("-j2", file());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    ASSERT_EQ(made.out + made.err, "") << "not silent off a terminal";
    Result<ElfImage> kernel = ElfImage::open(kernel_path_);
    ASSERT_TRUE(kernel) << kernel.error().message;
    kernel_ = std::make_unique<ElfImage>(*std::move(kernel));
    Result<std::unique_ptr<ObjectView>> view = ObjectView::open_for(file(), *kernel_);
    ASSERT_TRUE(view) << view.error().message;
    view_ = *std::move(view);
    Result<SymbolTable> symbols = SymbolTable::load(*kernel_);
    ASSERT_TRUE(symbols) << symbols.error().message;
    symbols_ = std::make_unique<SymbolTable>(*std::move(symbols));
}

void VmlinuxSuite::TearDownTestSuite() {
    symbols_.reset();
    view_.reset();
    kernel_.reset();
    folder_.reset();
}

void VmlinuxSuite::SetUp() {
    if (kernel_path_.empty())
        GTEST_SKIP() << "BTF_EXTRA_VMLINUX names no kernel";
    ASSERT_TRUE(symbols_) << "nothing was generated";
}

CommandResult VmlinuxSuite::generate(const std::string &jobs, const std::string &out) {
    return run_btf_extra({"generate", jobs, "--lines", kernel_path_, "-o", out});
}

const ElfSection *VmlinuxSuite::elf_section(const loc_section &section) {
    return kernel_->find(view_->index().elf_sections[section.elf].name);
}

}  // namespace btf_extra::test
