// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/template_build.h"

#include <stdexcept>

#include <fmt/format.h>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

std::string source_of(const TemplateShape &shape) {
    std::string out = "\t.text\n\t.skip 48\n";
    for (uint32_t i = 0; i < shape.stubs; i++)
        out += fmt::format("\t.type inlined_stub_{0}, @function\n"
                           "inlined_stub_{0}:\n\t.skip {1}\n"
                           "\t.size inlined_stub_{0}, 16\n",
                           i, shape.distance);
    out += fmt::format("\t.skip 16\n\t.section {}, \"a\", @progbits\n", shape.calls_in);
    for (uint32_t i = 0; i < shape.calls; i++)
        out += fmt::format("\t.quad inlined_stub_{} + {}\n",
                           i != 0 && i == shape.swapped_call ? i + 1 : i, shape.call_at);
    out += fmt::format("\t.section .btf_extra.phantoms, \"aw\", @progbits\n"
                       "\t.long {}, 1, {}, 0, 0, 0, 0, 0\n",
                       shape.magic, shape.table_size);
    out += fmt::format("\t.section .modinfo, \"a\", @progbits\n"
                       "\t.asciz \"license=GPL\"\n\t.asciz \"vermagic={}\"\n"
                       "\t.asciz \"name={}\"\n\t.asciz \"depends=btf_extra\"\n",
                       shape.vermagic, shape.info_name);
    out += fmt::format("\t.section .gnu.linkonce.this_module, \"aw\", @progbits\n"
                       "\t.balign 64\n\t.skip 24\nname:\t.asciz \"{}\"\n"
                       "\t.skip 56 - (. - name)\n\t.quad inlined_stub_0\n",
                       shape.name);
    return out + shape.more;
}

}  // namespace

void make_template(const std::string &path, const TemplateShape &shape) {
    const std::string source = path + ".S";
    write_file(source, source_of(shape));
    const CommandResult made = run_command({"gcc", "-c", "-o", path, source});
    if (made.exit_code != 0)
        throw std::runtime_error("gcc: " + made.err);
}

}  // namespace btf_extra::test
