// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Measures how long LLVM's library takes to look an address up in a file of GSYM: the inlined
// functions there, and the line.
//
//   gsym_look_up FILE <ADDRESSES
//   addresses=N found=N ns=N          of one look-up
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <llvm/DebugInfo/GSYM/GsymReader.h>

namespace {

// Returns how many of them are known.
size_t look_up(const llvm::gsym::GsymReader &reader, const std::vector<uint64_t> &addresses) {
    size_t found = 0;
    for (const uint64_t address : addresses) {
        if (auto result = reader.lookup(address))
            found += !result->Locations.empty();
        else
            llvm::consumeError(result.takeError());
    }
    return found;
}

}  // namespace

int main(int argc, char **argv) {
    std::vector<uint64_t> addresses;
    for (std::string line; std::getline(std::cin, line);)
        addresses.push_back(std::stoull(line, nullptr, 16));
    if (argc != 2 || addresses.empty()) {
        std::fprintf(stderr, "usage: gsym_look_up FILE <ADDRESSES\n");
        return 2;
    }
    auto reader = llvm::gsym::GsymReader::openFile(argv[1]);
    if (!reader) {
        std::fprintf(stderr, "gsym_look_up: %s: %s\n", argv[1],
                     llvm::toString(reader.takeError()).c_str());
        return 1;
    }
    look_up(*reader, addresses);  // so that the file is in memory
    const auto began = std::chrono::steady_clock::now();
    const size_t found = look_up(*reader, addresses);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - began;
    std::printf("addresses=%zu found=%zu ns=%.0f\n", addresses.size(), found,
                taken.count() / static_cast<double>(addresses.size()));
}
