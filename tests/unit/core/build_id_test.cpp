// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A build-id note in a run of notes, and anywhere in other data.
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "kernel/core/build_id_note.h"
}

namespace {

std::string word(u32 value) {
    return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

std::string note(u32 id_size, u32 type = 3, const std::string &name = std::string("GNU\0", 4)) {
    std::string id(id_size, 'i');
    id.resize((id.size() + 3) / 4 * 4);
    return word(static_cast<u32>(name.size())) + word(id_size) + word(type) + name + id;
}

struct Row {
    const char *name;
    std::string data;
    u32 found;     // bytes of the id in a run of notes; 0: there is none
    u32 searched;  // the same, anywhere
};

TEST(BuildId, FoundAndSearched) {
    const std::string other = note(8, 1);
    const std::vector<Row> rows = {
        {"nothing", "", 0, 0},
        {"1 byte", note(1), 1, 1},
        {"8 bytes", note(8), 8, 8},
        {"16 bytes, as of MD5", note(16), 16, 16},
        {"19 bytes", note(19), 19, 19},
        {"20 bytes, as of SHA-1", note(20), 20, 20},
        {"no byte", note(0), 0, 0},
        {"21 bytes", note(21), 0, 0},
        {"4 GB", word(4) + word(0xffffffff) + word(3) + std::string("GNU\0abcd", 8), 0, 0},
        {"another type", note(20, 1), 0, 0},
        {"another name", note(20, 3, std::string("GNX\0", 4)), 0, 0},
        {"after another note", other + note(20), 20, 20},
        {"the first of two", note(8) + note(20), 8, 8},
        {"after text", std::string("text") + note(8), 0, 8},
        {"after zeros", std::string(4096, '\0') + note(16) + std::string(64, '\0'), 0, 16},
        {"after 2 bytes", std::string(2, 'x') + note(8), 0, 0},
        {"after a note that is cut", word(4) + word(20) + word(3) + note(8), 0, 8},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        // The sanitizer sees what is read beyond the end.
        const std::vector<char> data(row.data.begin(), row.data.end());
        const extra_bytes found = build_id_find(data.data(), data.size());
        const extra_bytes searched = build_id_search(data.data(), data.size());
        EXPECT_EQ(found.size, row.found);
        EXPECT_EQ(searched.size, row.searched);
        for (const extra_bytes &id : {found, searched}) {
            const auto *bytes = static_cast<const char *>(id.data);
            EXPECT_EQ(std::string(bytes, bytes + id.size), std::string(id.size, 'i'));
        }
    }
}

TEST(BuildId, CutAnywhere) {
    const std::string whole = std::string(8, 'x') + note(20);
    for (size_t cut = 0; cut < whole.size(); cut++) {
        const std::vector<char> data(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(cut));
        EXPECT_EQ(build_id_search(data.data(), data.size()).data, nullptr) << cut;
    }
}

}  // namespace
