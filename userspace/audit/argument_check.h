// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Compares the arguments that a program reads with those that a body has at its entry.
#ifndef BTF_EXTRA_ARGUMENT_CHECK_H
#define BTF_EXTRA_ARGUMENT_CHECK_H

#include <string>
#include <string_view>
#include <vector>

#include "userspace/audit/attach_point.h"
#include "userspace/lib/probing/func_survey.h"

namespace btf_extra::audit {

// A line for each parameter that is not where its prototype passes it.
struct ArgumentFaults {
    std::vector<std::string> read;    // those that the program reads
    std::vector<std::string> others;  // if it is not known which ones it reads: all
};

// symbol: of the body. arch NULL: nothing is known.
ArgumentFaults argument_faults(const AttachPoint &point, const FuncSurvey &func,
                               const SurveyedBody &body, std::string_view symbol,
                               const loc_arch *arch);

}  // namespace btf_extra::audit

#endif
