// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/module_build.h"

#include "tests/support/command_run.h"

namespace btf_extra::test {

void build_kernel(const std::string &path, const std::string &release) {
    write_file(path + ".c", "const char banner[] = \"Linux version " + release + " (gcc)\";\n");
    link_fixture(path, {"sites.c", "sites_other.c", path + ".c"}, {});
    add_base_btf(path);
}

void build_module(const std::string &path, const Recipe &recipe, const std::string &split_btf,
                  const std::string &release) {
    std::vector<std::string> link = {recipe.compiler,       "-r", "-nostdlib",
                                     "-Wl,--build-id=sha1", "-o", path};
    for (const char *unit : {"one", "two"}) {
        Recipe of_unit = recipe;
        // Kernels have no .eh_frame.
        of_unit.more.insert(of_unit.more.end(),
                            {"-fno-asynchronous-unwind-tables", std::string("-DNAME=") + unit});
        if (!release.empty() && unit[0] == 'o')
            of_unit.more.push_back("-DRELEASE=\"" + release + "\"");
        compile_fixture(path + "." + unit + ".o", "module.c", of_unit);
        link.push_back(path + "." + unit + ".o");
    }
    must_run(link);
    if (!split_btf.empty())
        // The kernel's build does the same: otherwise pahole runs llvm-objcopy.
        must_run({"env", "LLVM_OBJCOPY=objcopy", "pahole", "-J", "--btf_base=" + split_btf, path});
}

}  // namespace btf_extra::test
