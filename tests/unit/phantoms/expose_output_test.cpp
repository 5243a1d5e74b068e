// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `expose --output`: the module that is written, read with binutils, libbpf and openssl, and what
// is refused. The functions are those of the sample object.
#include <cstring>
#include <sstream>

#include <bpf/btf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "tests/support/cli_fixture.h"
#include "tests/support/template_build.h"
#include "userspace/format/elf_image.h"

namespace btf_extra {
namespace {

using test::CommandResult;
using test::TemplateShape;

class ExposeOutput : public test::CliFixture {
  protected:
    static void SetUpTestSuite() {
        CliFixture::SetUpTestSuite();
        test::make_template(path("inlined.ko"));
    }

    static CommandResult expose(std::vector<std::string> arguments,
                                const std::string &from = path("inlined.ko")) {
        test::run_command({"rm", "-f", path("out.ko")});
        arguments.insert(arguments.end(), {"--template", from, "--output", path("out.ko")});
        return run("expose", std::move(arguments));
    }

    static std::string out_of(const std::vector<std::string> &command) {
        const CommandResult result = test::run_command(command);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.out;
    }

    static std::string section(const std::string &file, const char *name) {
        const auto elf = ElfImage::open(file);
        const ElfSection *found = elf ? elf->find(name) : nullptr;
        if (found == nullptr)
            return "not there";
        const auto bytes = elf->bytes(*found);
        return {reinterpret_cast<const char *>(bytes->data()), bytes->size()};
    }

    static size_t count(const std::string &text, const std::string &what) {
        size_t out = 0;
        for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at++)
            out++;
        return out;
    }
};

TEST_F(ExposeOutput, Lines) {
    const CommandResult result = expose({"*", "--best-effort"});
    EXPECT_EQ(result.exit_code, 0);
    // skb_headlen has a body, and a FUNC in vmlinux's BTF.
    EXPECT_EQ(result.out,
              "skb_headlen__inlined  void skb_headlen__inlined(const struct sk_buff *skb)  "
              "1 of 2 sites\n"
              "twin__a_twin          void twin__a_twin(void)  1 of 1 site\n"
              "twin__b_twin          void twin__b_twin(int a)  0 of 1 site\n");
    EXPECT_EQ(result.err,
              "btf-extra: left out: vmlinux:report: it is variadic\n"
              "btf-extra: skb_headlen__inlined: left out: 1 site: a required parameter has no "
              "location: skb\n"
              "btf-extra: twin__b_twin: left out: 1 site: a required parameter has no location: "
              "a\n");
}

TEST_F(ExposeOutput, Without) {
    const CommandResult result = expose({"skb_headlen", "twin@b/twin.c", "--without", "skb"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "skb_headlen__inlined  void skb_headlen__inlined(void)  2 of 2 sites\n"
                          "twin__b_twin          void twin__b_twin(int a)  0 of 1 site\n");
    const auto base = std::unique_ptr<btf, decltype(&btf__free)>(
        btf__parse_raw(path("base.btf").c_str()), btf__free);
    const auto read = std::unique_ptr<btf, decltype(&btf__free)>(
        btf__parse_split(path("out.ko").c_str(), base.get()), btf__free);
    ASSERT_TRUE(read);
    const int id = btf__find_by_name_kind(read.get(), "skb_headlen__inlined", BTF_KIND_FUNC);
    ASSERT_GT(id, 0);
    const btf_type *proto = btf__type_by_id(read.get(), btf__type_by_id(read.get(), id)->type);
    EXPECT_EQ(btf_vlen(proto), 0);
}

TEST_F(ExposeOutput, Module) {
    ASSERT_EQ(expose({"twin", "skb_headlen"}).exit_code, 0);
    const std::string was = out_of({"readelf", "-sW", path("inlined.ko")});
    const std::string is = out_of({"readelf", "-sW", path("out.ko")});
    // No symbol is removed, and the stubs that are left have no names.
    EXPECT_EQ(count(is, "\n"), count(was, "\n"));
    EXPECT_EQ(count(was, " inlined_stub_"), 1000u);
    EXPECT_EQ(count(is, " inlined_stub_"), 0u);
    EXPECT_EQ(count(is, " LOCAL  DEFAULT    1 \n"), 997u + count(was, " LOCAL  DEFAULT    1 \n"));
    for (const char *line :
         {"0000000000000030    16 FUNC    LOCAL  DEFAULT    1 skb_headlen__inlined\n",
          "0000000000000050    16 FUNC    LOCAL  DEFAULT    1 twin__a_twin\n",
          "0000000000000070    16 FUNC    LOCAL  DEFAULT    1 twin__b_twin\n"})
        EXPECT_EQ(count(is, line), 1u) << line;
    const std::string relocations = out_of({"readelf", "-rW", path("out.ko")});
    EXPECT_EQ(count(relocations, "section '.rela__mcount_loc' at"), 1u);
    EXPECT_EQ(count(relocations, ".text + "), 3u + 1);  // and that of struct module
    EXPECT_EQ(count(relocations, "0000000000000010  0000000"), 1u);
    EXPECT_EQ(section(path("out.ko"), "__mcount_loc").size(), 24u);
    EXPECT_EQ(section(path("out.ko"), ".text"), section(path("inlined.ko"), ".text"));
    EXPECT_EQ(section(path("out.ko"), ".modinfo"), section(path("inlined.ko"), ".modinfo"));
}

TEST_F(ExposeOutput, Table) {
    ASSERT_EQ(expose({"twin", "skb_headlen"}).exit_code, 0);
    const std::string table = section(path("out.ko"), PHANTOM_SECTION);
    const std::string locations = section(path("a.btf_extra"), ".BTF.func_info");
    const auto word = [](uint64_t value) {
        const auto word = static_cast<uint32_t>(value);
        return std::string(reinterpret_cast<const char *>(&word), sizeof(word));
    };
    const auto sum = [](const std::string &bytes) {
        return crc32(0, reinterpret_cast<const Bytef *>(bytes.data()),
                     static_cast<uInt>(bytes.size()));
    };
    const std::string strings("skb_headlen__inlined\0vmlinux\0twin__a_twin\0twin__b_twin\0", 55);
    const std::string rest = word(1) + word(3) + word(3) + word(55) +                    // counts
                             word(21) + word(locations.size()) + word(sum(locations)) +  // object
                             word(0) + word(1) + word(29) + word(1) + word(42) + word(1) + word(0) +
                             word(7) + word(0) + word(0) + word(13) + word(0) + word(0) + word(14) +
                             word(0) + strings;
    EXPECT_EQ(table, "phan" + word(1) + word(16 + rest.size()) + word(sum(rest)) + rest);
}

TEST_F(ExposeOutput, CompressedAndSignedTemplates) {
    ASSERT_EQ(expose({"twin"}).exit_code, 0);
    const std::string expected = test::read_file(path("out.ko"));
    // A signature of 5 bytes after it.
    const std::string file = test::read_file(path("inlined.ko"));
    test::write_file(path("signed.ko"), file + "bytes" +
                                            std::string("\0\0\2\0\0\0\0\0\0\0\0\5", 12) +
                                            "~Module signature appended~\n");
    EXPECT_EQ(expose({"twin"}, path("signed.ko")).exit_code, 0);
    EXPECT_TRUE(test::read_file(path("out.ko")) == expected);
    out_of({"xz", "-k", "-f", "--check=crc32", path("inlined.ko")});
    out_of({"gzip", "-k", "-f", path("signed.ko")});
    for (const char *name : {"inlined.ko.xz", "signed.ko.gz"}) {
        const CommandResult result = expose({"twin"}, path(name));
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(test::read_file(path("out.ko")) == expected) << name;
    }
}

// A distilled base, and the tables that a patched kernel's build puts into each module.
TEST_F(ExposeOutput, WhatIsNotOfStubsLosesItsName) {
    for (const char *name : {".BTF.base", ".BTF.func_info", ".btf_extra"}) {
        SCOPED_TRACE(name);
        TemplateShape shape;
        shape.more = fmt::format("\t.section .BTF, \"a\"\n\t.long 1\n\t.section {}, \"a\"\n"
                                 "\t.long 2\n",
                                 name);
        test::make_template(path("built.ko"), shape);
        ASSERT_EQ(expose({"twin"}, path("built.ko")).exit_code, 0);
        EXPECT_EQ(section(path("built.ko"), name), std::string("\2\0\0\0", 4));
        EXPECT_EQ(section(path("out.ko"), name), "not there");
        EXPECT_TRUE(section(path("out.ko"), ".BTF").starts_with("\x9f\xeb"));
    }
}

TEST_F(ExposeOutput, Signature) {
    out_of({"openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-sha256", "-subj",
            "/CN=test/", "-keyout", path("key.pem"), "-out", path("cert.pem")});
    ASSERT_EQ(expose({"twin"}).exit_code, 0);
    const std::string bare = test::read_file(path("out.ko"));
    // The option takes two words, and no function after them.
    const CommandResult result = expose({"--sign", path("key.pem"), path("cert.pem"), "twin"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string file = test::read_file(path("out.ko"));
    constexpr std::string_view kEnd = "~Module signature appended~\n";
    ASSERT_TRUE(file.starts_with(bare));
    ASSERT_TRUE(file.ends_with(kEnd));
    const std::string added = file.substr(bare.size(), file.size() - bare.size() - kEnd.size());
    const std::string signature = added.substr(0, added.size() - 12);
    const auto size = static_cast<char>(signature.size() & 0xff);
    const auto high = static_cast<char>(signature.size() >> 8);
    EXPECT_EQ(added.substr(signature.size()),
              std::string("\0\0\2\0\0\0\0\0\0\0", 10) + high + size);
    test::write_file(path("signature"), signature);
    test::write_file(path("bare.ko"), bare);
    // The certificate is not in the signature, and the time is not: nothing is signed but the file.
    out_of({"openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", path("signature"),
            "-content", path("bare.ko"), "-certfile", path("cert.pem"), "-CAfile", path("cert.pem"),
            "-purpose", "any", "-nointern", "-out", path("verified")});
    const std::string shown = out_of({"openssl", "cms", "-cmsout", "-print", "-noout", "-inform",
                                      "DER", "-in", path("signature")});
    EXPECT_EQ(count(shown, "certificates:\n      <ABSENT>"), 1u) << shown;
    EXPECT_EQ(count(shown, " signedAttrs:\n          <ABSENT>"), 1u);
    EXPECT_EQ(count(shown, "digestAlgorithm: \n          algorithm: sha256"), 1u);

    test::expect_failed(expose({"twin", "--sign", path("cert.pem"), path("cert.pem")}),
                        path("cert.pem") + ": private key: ...");
    test::expect_failed(expose({"twin", "--sign", path("key.pem"), path("key.pem")}),
                        path("key.pem") + ": certificate: ...");
    test::expect_failed(expose({"twin", "--sign", path("none"), path("cert.pem")}),
                        path("none") + ": private key: no such file");
}

struct Refused {
    const char *what;
    std::vector<std::string> arguments;
    std::string message;
};

TEST_F(ExposeOutput, Functions) {
    const std::string tables = path("a.btf_extra");
    const Refused rows[] = {
        {"unknown", {"nothing"}, tables + ": no function nothing"},
        {"no pattern", {"x*"}, tables + ": no function x*"},
        {"variadic", {"report"}, "vmlinux:report: it is variadic"},
        {"one of several",
         {"skb_headlen", "report"},
         "vmlinux:report: it is variadic; --best-effort exposes the others"},
        {"no such parameter",
         {"skb_headlen", "--without", "len"},
         "none of the functions has a parameter len"},
        {"body only", {"skb_headlen.isra.0"}, "skb_headlen.isra.0: it is not inlined"},
        {"no such object", {"xfs:foo"}, tables + ": no object xfs"},
    };
    for (const Refused &row : rows) {
        SCOPED_TRACE(row.what);
        test::expect_failed(expose(row.arguments), row.message);
        EXPECT_EQ(test::read_file(path("out.ko")), "");
    }
    // Nothing is left.
    const CommandResult result = expose({"report", "--best-effort"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, "btf-extra: left out: vmlinux:report: it is variadic\n"
                          "btf-extra: no function can be exposed\n");
}

// GCC's own list may have the address of what is before a function.
TEST_F(ExposeOutput, CallsBeforeStubs) {
    test::make_template(path("inlined.ko"),
                        {.calls_in = "__patchable_function_entries", .call_at = -8});
    ASSERT_EQ(expose({"twin"}).exit_code, 0);
    const std::string relocations = out_of({"readelf", "-rW", path("out.ko")});
    EXPECT_EQ(count(relocations, ".rela__patchable_function_entries' at offset"), 1u);
    EXPECT_EQ(count(relocations, " .text + 28\n"), 1u) << relocations;
    EXPECT_EQ(count(relocations, " .text + 48\n"), 1u);
    EXPECT_EQ(count(relocations, " .text + 68\n"), 0u);
}

// A module for x86-64 has GCC's list, too, since Linux 6.2: it names the padding.
TEST_F(ExposeOutput, PaddingBesideCalls) {
    test::make_template(path("inlined.ko"),
                        {.more = "\t.section __patchable_function_entries, \"aw\", @progbits\n"
                                 "\t.quad inlined_stub_0 - 16\n"});
    ASSERT_EQ(expose({"twin"}).exit_code, 0);
    const std::string relocations = out_of({"readelf", "-rW", path("out.ko")});
    EXPECT_EQ(count(relocations, ".rela__mcount_loc' at offset"), 1u);
    EXPECT_EQ(count(relocations, " .text + 34\n"), 1u) << relocations;
    EXPECT_EQ(count(relocations, " .text + 54\n"), 1u);
    EXPECT_EQ(count(relocations, " .text + 74\n"), 0u);
    EXPECT_EQ(count(relocations, " .text + 20\n"), 1u);
}

struct Template {
    const char *what;
    TemplateShape shape;
    std::string message;  // after the path
};

TEST_F(ExposeOutput, Templates) {
    const std::string stubs =
        ".symtab: its stubs are not 1000 local functions, 32 bytes apart in one section";
    const std::string calls = ".rela__mcount_loc: does not have one entry for each of 1000 stubs";
    const std::string table = ".btf_extra.phantoms: no empty table of this version";
    const Template rows[] = {
        {"a stub too few", {.stubs = 999, .calls = 999}, stubs},
        {"a stub too many", {.stubs = 1001}, stubs},
        {"stubs of another size", {.distance = 64}, stubs},
        {"a global stub", {.more = "\t.globl inlined_stub_7\n"}, stubs},
        {"a call too few", {.calls = 999}, calls},
        {"calls in another order",
         {.swapped_call = 700},
         ".rela__mcount_loc: entry 700 is not that of stub 700"},
        {"calls elsewhere", {.call_at = 32}, ".rela__mcount_loc: entry 0 is not that of stub 0"},
        {"another table", {.magic = 1}, table},
        {"a table that is not empty", {.table_size = 32}, table},
        {"another module",
         {.info_name = "outlined"},
         ".modinfo: the name of the module is not 'inlined'"},
        {"another struct module",
         {.name = "outlined"},
         ".gnu.linkonce.this_module: does not contain the name 'inlined' exactly once"},
    };
    for (const Template &row : rows) {
        SCOPED_TRACE(row.what);
        test::make_template(path("wrong.ko"), row.shape);
        test::expect_failed(expose({"twin"}, path("wrong.ko")),
                            path("wrong.ko") + ": " + row.message);
        EXPECT_EQ(test::read_file(path("out.ko")), "");
    }
    test::expect_failed(expose({"twin"}, path("vmlinux")),
                        path("vmlinux") + ": ELF header: not a relocatable file, as kernel "
                                          "modules are");
    test::expect_failed(expose({"twin"}, path("a.btf_extra")),
                        path("a.btf_extra") +
                            ": .modinfo: missing: it is not a template of btf_extra");
    test::expect_failed(expose({"twin"}, path("base.btf")),
                        path("base.btf") + ": ELF header: not an ELF file");
    test::expect_failed(expose({"twin"}, path("none")), path("none") + ": open: No such file...");
}

TEST_F(ExposeOutput, CutTemplates) {
    const std::string file = test::read_file(path("inlined.ko"));
    for (size_t size = 0; size < file.size(); size += file.size() / 37) {
        test::write_file(path("cut.ko"), std::string_view(file).substr(0, size));
        test::expect_failed(expose({"twin"}, path("cut.ko")), path("cut.ko") + "...");
    }
}

TEST_F(ExposeOutput, Usage) {
    const std::vector<std::vector<std::string>> rows = {
        {},
        {"--json", "foo"},
        {"--list", "foo"},
        {"--list", "--remove"},
        {"--remove", "--arm"},
        {"foo", "--sign", "key"},
        {"foo", "--arm", "--output", "x.ko"},
        {"foo", "--vmlinux", path("vmlinux")},
    };
    for (std::vector<std::string> arguments : rows) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        arguments.insert(arguments.begin(), "expose");
        const CommandResult result = test::run_btf_extra(arguments);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(result.out, "");
    }
    // There is no module that could be loaded.
    test::expect_failed(run("expose", {"twin"}),
                        "/sys/kernel/btf_extra/inlined/: missing: btf_extra is not loaded");
    test::expect_failed(test::run_btf_extra({"expose", "--list"}),
                        "/sys/kernel/btf_extra/inlined/: missing: btf_extra is not loaded");
}

}  // namespace
}  // namespace btf_extra
