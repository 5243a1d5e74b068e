// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Distances are counted by hand.
#include <gtest/gtest.h>

#include "userspace/text/nearest_names.h"

namespace btf_extra {
namespace {

TEST(NearestNames, Distance) {
    const struct {
        const char *a, *b;
        size_t most, distance;
    } rows[] = {
        {"list", "list", 3, 0},
        {"list", "lists", 3, 1},
        {"list", "lit", 3, 1},
        {"list", "last", 3, 1},
        {"lsit", "list", 3, 1},
        {"", "abc", 3, 3},
        {"abc", "", 3, 3},
        {"kitten", "sitting", 3, 3},
        {"kitten", "sitting", 2, 3},
        {"ab", "abcdef", 3, 4},
        {"abcd", "badc", 3, 2},
        {"ca", "abc", 3, 3},
        {"", "", 0, 0},
        {"a", "b", 0, 1},
    };
    for (const auto &row : rows)
        EXPECT_EQ(name_distance(row.a, row.b, row.most), row.distance) << row.a << " " << row.b;
}

TEST(NearestNames, Three) {
    const struct {
        const char *wanted;
        std::vector<std::string> names, nearest;
    } rows[] = {
        {"kmaloc", {"kfree", "kmalloc", "vmalloc", "kzalloc"}, {"kmalloc", "kzalloc", "vmalloc"}},
        {"abcdef", {"abcdeh", "abcdeg", "abcde", "bcdef", "abcdef"}, {"abcdef", "abcde", "abcdeg"}},
        {"x", {"y", "xy"}, {}},
        {"foo", {"bar", "foa", "ooo"}, {"foa", "ooo"}},
        {"foo", {}, {}},
        {"VFS_Read", {"vfs_reads", "vfs_read", "PageDirty"}, {"vfs_read", "vfs_reads"}},
        {"pagedirty", {"PageDirty", "paging"}, {"PageDirty"}},
        {"foo.constprop.0", {"foo", "fo", "foo_constprop_1"}, {"foo", "foo_constprop_1"}},
        {".cold", {"bold"}, {"bold"}},
    };
    for (const auto &row : rows) {
        NearestNames nearest(row.wanted);
        for (const std::string &name : row.names)
            nearest.add(name);
        EXPECT_EQ(nearest.texts(), row.nearest) << row.wanted;
    }
}

}  // namespace
}  // namespace btf_extra
