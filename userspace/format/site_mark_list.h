// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The marks of an object's sites as the section `.btf_extra.site_marks` has them:
// kernel/core/site_marks.h.
#ifndef BTF_EXTRA_SITE_MARK_LIST_H
#define BTF_EXTRA_SITE_MARK_LIST_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace btf_extra {

struct MarkedSite {
    uint32_t site;   // its number in the index
    uint32_t marks;  // SITE_MARK_*, those that a list has, at least one

    bool operator==(const MarkedSite &) const = default;
};

class SiteMarkList {
  public:
    SiteMarkList() = default;
    // sites are in ascending order.
    explicit SiteMarkList(std::span<const MarkedSite> sites);
    SiteMarkList(std::initializer_list<MarkedSite> sites)
        : SiteMarkList(std::span(sites.begin(), sites.size())) {}

    // Takes the bytes of a section, which may be wrong.
    static SiteMarkList from_bytes(std::vector<std::byte> bytes);

    const std::vector<std::byte> &bytes() const { return bytes_; }
    const uint8_t *data() const { return reinterpret_cast<const uint8_t *>(bytes_.data()); }
    uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }

    bool operator==(const SiteMarkList &) const = default;

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace btf_extra

#endif
