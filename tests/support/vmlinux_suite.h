// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The base of all tests of a real kernel, $BTF_EXTRA_VMLINUX: it generates the kernel's file and
// opens both, once for all tests of a suite. Without a kernel the tests are skipped.
#ifndef BTF_EXTRA_TEST_VMLINUX_SUITE_H
#define BTF_EXTRA_TEST_VMLINUX_SUITE_H

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/fixture_build.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra::test {

class VmlinuxSuite : public testing::Test {
  protected:
    static void SetUpTestSuite();
    static void TearDownTestSuite();
    void SetUp() override;

    // Returns a path in a folder that is removed after the suite.
    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string file() { return path("vmlinux.btf_extra"); }
    static CommandResult generate(const std::string &jobs, const std::string &out);
    // Returns the section of the kernel, or nullptr if it has none of that name.
    static const ElfSection *elf_section(const loc_section &section);

    static inline std::string kernel_path_;
    static inline std::unique_ptr<ElfImage> kernel_;
    static inline std::unique_ptr<ObjectView> view_;  // the view of file()
    static inline std::unique_ptr<SymbolTable> symbols_;

  private:
    static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace btf_extra::test

#endif
