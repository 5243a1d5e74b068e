// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The base of tests that link a fixture and generate its tables.
#ifndef BTF_EXTRA_TESTS_FIXTURE_TEST_H
#define BTF_EXTRA_TESTS_FIXTURE_TEST_H

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/fixture_build.h"

namespace btf_extra::test {

class FixtureTest : public testing::Test {
  protected:
    // The fixture lives until the next one is built. Throws std::runtime_error.
    const GeneratedFixture &build(const std::string &source, const Recipe &recipe) {
        link_fixture(path(), {source}, recipe);
        add_base_btf(path());
        auto opened = GeneratedFixture::open(path());
        if (!opened)
            throw std::runtime_error(opened.error().message);
        fixture_ = std::move(*opened);
        return *fixture_;
    }
    std::string path() const { return folder_.path("fixture"); }

    TemporaryFolder folder_;
    std::unique_ptr<GeneratedFixture> fixture_;
};

}  // namespace btf_extra::test

#endif
