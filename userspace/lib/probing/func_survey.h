// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Counts the sites of a function, and says what a kprobe or an fentry program on its plain name
// sees of them.
#ifndef BTF_EXTRA_FUNC_SURVEY_H
#define BTF_EXTRA_FUNC_SURVEY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/lib/probing/placed_site.h"
#include "userspace/lib/tables/attach_names.h"

namespace btf_extra {

struct SurveyedParam {
    std::string_view name;
    uint32_t located = 0;   // sites at which it has a location
    uint32_t computed = 0;  // sites at which it has an expression instead
};

// The plain name of a function, as a kprobe or an fentry program takes it.
struct NameOutcome {
    NameVerdict verdict;
    uint32_t missed = 0;  // kAttaches: sites that are not hit
};

struct SurveyedNames {
    std::map<std::string_view, uint32_t> symbols;  // of the bodies, which are counted; "": none
    NameOutcome kprobe, fentry;
};

struct SurveyedBody {
    btf_extra_site site;
    std::optional<Place> begin;  // of its symbols, as AttachNames::begin_of_body() has it
};

// Sites are those at which a call begins. Names are in the blobs.
struct FuncSurvey {
    SharedObject object;
    uint32_t id;
    std::string_view name;
    std::optional<std::string> file;
    bool shares_name = false;
    uint32_t inlined = 0;
    std::vector<SurveyedBody> bodies;
    uint32_t parts = 0;    // rests of calls, not among the sites
    uint32_t freed = 0;    // of both, in text that is freed after boot
    uint32_t located = 0;  // sites at which all parameters have a location
    std::vector<SurveyedParam> params;
    std::vector<uint32_t> true_signatures;         // functions foo.isra.0 at its bodies
    std::optional<SurveyedNames> names;            // nothing: no symbols can be seen
    std::map<std::string_view, uint32_t> refused;  // sites that take no probe, by the reason
    std::map<std::string_view, uint32_t> files;    // sites by body_file_at(); "": not known

    uint32_t sites() const { return inlined + static_cast<uint32_t>(bodies.size()); }
};

// placer: also finds sites without a probe; may be NULL. files: also the files of sites.
FuncSurvey survey_func(const FoundFunc &found, const AttachNames &names, const SitePlacer *placer,
                       bool files);

}  // namespace btf_extra

#endif
