// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Which functions ftrace knows, from what tracefs lists.
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "userspace/lib/probing/traced_functions.h"
#include "userspace/lib/tables/kallsyms.h"

namespace btf_extra {
namespace {

constexpr char kSymbols[] = "ffffffff81000000 T plain\n"
                            "ffffffff81000010 t hidden\n"
                            "ffffffff81000020 t untraced\n"
                            "ffffffff81000030 t plain.isra.0\n"
                            "ffffffff81000040 t plain.isra.0.cold\n"
                            "ffffffff81000050 t untraced.cold\n"
                            "ffffffff81000060 t twice\n"
                            "ffffffff81000070 t twice\n"
                            "ffffffff81000080 T best\n"
                            "ffffffff81000080 t listed\n"
                            "ffffffff81000090 t end\n";

// Linux 6.5 lists addresses (commit 83f74441bcb1). Before, a name stands for all of its functions,
// and on arm64 some names are hidden.
TEST(TracedFunctions, ByPlaceIfTheKernelListsPlaces) {
    struct Row {
        const char *text;
        bool with_addresses;
        std::vector<uint64_t> traced;  // of the nine functions
    } rows[] = {
        {"addresses", true, {0x00, 0x10, 0x30, 0x40, 0x60, 0x80}},
        {"names", false, {0x00, 0x30, 0x40, 0x60, 0x70, 0x80}},
    };
    const auto symbols = Kallsyms::parse(kSymbols);
    ASSERT_TRUE(symbols) << symbols.error().message;
    for (const Row &row : rows) {
        SCOPED_TRACE(row.text);
        const test::TemporaryFolder folder;
        // The place of a hook need not be where its function begins.
        if (row.with_addresses)
            test::write_file(folder.path("available_filter_functions_addrs"),
                             std::string_view("ffffffff81000004 plain\n"
                                              "ffffffff81000010 __ftrace_invalid_address___16\n"
                                              "ffffffff81000030 plain.isra.0\n"
                                              "ffffffff81000060 twice [m]\n"
                                              "ffffffff81000080 listed\n"));
        test::write_file(folder.path("available_filter_functions"),
                         std::string_view("plain\n__ftrace_invalid_address___16\nplain.isra.0\n"
                                          "twice [m]\nlisted\n"));
        const FunctionSet traced = traced_functions(*symbols, {"/nowhere", folder.path("")});
        std::vector<uint64_t> found;
        for (uint64_t offset = 0; offset < 0x90; offset += 0x10) {
            const Place place = {0, 0xffffffff81000000 + offset};
            if (traced.has(place, std::string(symbols->around(place)->symbol)))
                found.push_back(offset);
        }
        EXPECT_EQ(found, row.traced);
    }
    EXPECT_TRUE(traced_functions(*symbols, {"/nowhere"}).names.empty());
}

}  // namespace
}  // namespace btf_extra
