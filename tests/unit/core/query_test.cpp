// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the rows of the queries and of the patterns, and looks up all beginnings of all names.
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "tests/core/query_rows.h"
}

namespace {

class Query : public testing::Test {
  protected:
    Query() {
        core_input input;
        query_rows_input(images_.get(), &input);
        memory_.resize(core_run_memory(&input));
        core_arena arena{memory_.data(), memory_.size(), 0};
        core_run(outcome_.get(), &input, &arena);
    }
    void SetUp() override { ASSERT_EQ(outcome_->step, CORE_DONE) << outcome_->fault.code; }
    const loc_index &index() const { return outcome_->index; }

    std::unique_ptr<core_row_images> images_ = std::make_unique<core_row_images>();
    std::unique_ptr<core_outcome> outcome_ = std::make_unique<core_outcome>();
    std::vector<u8> memory_;
};

TEST_F(Query, Rows) {
    std::set<std::string> names;
    for (u32 i = 0; i < query_nr_rows; i++) {
        const char *broken = query_row_verdict(&query_rows[i], &index());
        EXPECT_EQ(broken, nullptr) << query_rows[i].name << ": " << broken;
        EXPECT_TRUE(names.insert(query_rows[i].name).second) << query_rows[i].name;
    }
}

// The result is compared with a plain scan, also for beginnings that no name has.
TEST_F(Query, NamesThatBeginSo) {
    std::vector<std::string> names;
    for (u32 i = 0; i < index().nr_funcs; i++) {
        const btf_type *func = btf_blob_type(index().func_info, index().funcs[i]);
        names.emplace_back(btf_blob_string(index().func_info, func->name_off));
    }
    std::set<std::string> asked = {"", "z", "\xff", "tcp_ack.isra.00", "a"};
    for (const std::string &name : names)
        for (size_t size = 0; size <= name.size(); size++) {
            asked.insert(name.substr(0, size));
            asked.insert(name.substr(0, size) + "\1");
        }
    for (const std::string &begin : asked)
        for (bool whole : {false, true}) {
            std::vector<std::string> expected;
            for (const std::string &name : names)
                if (whole ? name == begin : name.starts_with(begin))
                    expected.push_back(name);
            // Only the first part of the name counts. The text after it must not matter.
            const std::string longer = begin + "tail";
            const loc_range range = loc_index_by_prefix(&index(), longer.c_str(),
                                                        static_cast<u32>(begin.size()), whole);
            EXPECT_EQ(std::vector(names.begin() + range.first, names.begin() + range.end), expected)
                << begin;
        }
}

TEST(Glob, Rows) {
    for (u32 i = 0; i < glob_nr_rows; i++) {
        const glob_row &row = glob_rows[i];
        // The copy has exactly its size, so that ASan sees a read beyond it.
        const std::vector<char> pattern(row.pattern, row.pattern + std::strlen(row.pattern));
        EXPECT_EQ(name_glob_matches(pattern.data(), static_cast<u32>(pattern.size()), row.name),
                  row.matches)
            << row.pattern << " " << row.name;
    }
}

}  // namespace
