// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/site_mark_list.h"

#include "userspace/format/byte_writer.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

constexpr uint32_t kShortRun = SITE_MARK_LENGTH >> SITE_MARK_LENGTH_SHIFT;

uint8_t byte_of(uint32_t number) {
    return static_cast<uint8_t>(number);
}

}  // namespace

SiteMarkList::SiteMarkList(std::span<const MarkedSite> sites) {
    if (sites.empty())
        return;
    std::vector<uint32_t> pages(sites.back().site / SITE_MARK_PAGE + 1);
    ByteWriter runs;
    size_t at = 0;
    for (uint32_t page = 0; page < pages.size(); page++) {
        pages[page] = static_cast<uint32_t>(pages.size() * sizeof(pages[0])) + runs.size();
        uint32_t end = page * SITE_MARK_PAGE;  // of the run before
        while (at < sites.size() && sites[at].site / SITE_MARK_PAGE == page) {
            const MarkedSite &first = sites[at];
            uint32_t length = 1;
            while (at + length < sites.size() && sites[at + length].site == first.site + length &&
                   sites[at + length].site / SITE_MARK_PAGE == page &&
                   sites[at + length].marks == first.marks)
                length++;
            runs.item(byte_of(first.site - end));
            const uint32_t code = length <= kShortRun ? length : 0;
            runs.item(byte_of(first.marks | code << SITE_MARK_LENGTH_SHIFT));
            if (code == 0)
                runs.item(byte_of(length - 1));
            end = first.site + length;
            at += length;
        }
    }
    ByteWriter all;
    all.items(pages);
    all.items(runs.bytes());
    bytes_ = all.take();
}

SiteMarkList SiteMarkList::from_bytes(std::vector<std::byte> bytes) {
    SiteMarkList list;
    list.bytes_ = std::move(bytes);
    return list;
}

}  // namespace btf_extra
