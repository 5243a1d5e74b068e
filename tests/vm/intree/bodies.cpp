// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests functions of intree_test.ko: ids that do not stand for one body, and bodies that the
// compiler changed.
#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

const Types &types() {
    static const Types types("intree_test");
    return types;
}

void refused(Row &row, const Func &func, const std::vector<std::string> &says) {
    row.expect(func.id != 0, "no such function");
    for (Kind kind : {Kind::fentry, Kind::fexit}) {
        const Program program(kind, func);
        row.expect(!program.runs(), "it was attached");
        for (const std::string &text : says)
            row.expect(program.says(text), "not in the log: " + text + "\n" + program.log());
    }
    row.expect(!Program(Kind::fentry_multi, std::vector<Func>{func}).runs(),
               "fentry.multi was attached");
}

void sees(Row &row, Program &program, intree_which which, const std::vector<uint64_t> &args,
          const std::vector<uint64_t> &seen_args) {
    row.expect(program.runs(), std::strerror(program.error()) + ("\n" + program.log()));
    if (!program.runs())
        return;
    call(which, args[0], args[1], args[2]);
    const intree_seen seen = program.seen();
    row.equal(seen.runs, 1, "runs");
    row.equal(static_cast<int64_t>(seen.count), static_cast<int64_t>(seen_args.size()),
              "arguments");
    for (size_t i = 0; i < seen_args.size(); i++)
        row.expect(seen.args[i] == seen_args[i],
                   std::to_string(i) + ": " + hex(seen.args[i]) + ", not " + hex(seen_args[i]));
}

}  // namespace

void several() {
    {
        Row row("an id of several bodies is refused, with the bodies in the log");
        std::vector<std::string> says = {"intree_crowd", "intree_copies.h"};
        const std::vector<uint64_t> all = symbols("intree_crowd", "intree_test");
        row.equal(static_cast<int64_t>(all.size()), 3, "symbols");
        const Func crowd = types().only("intree_crowd", "intree_copies.h");
        refused(row, crowd, says);
        const Program program(Kind::fentry, crowd);
        row.equal(std::ranges::count_if(
                      all, [&](uint64_t address) { return program.says(hex(address)); }),
                  2, "addresses of bodies in the log\n" + program.log());
    }
    {
        Row row("another of that name with one body is attached");
        Program program(Kind::fentry, types().only("intree_crowd", "intree_else.c"));
        sees(row, program, INTREE_CROWD_ELSE, {6, 7, 0}, {6, 7});
        call(INTREE_CROWD_HERE, 1);
        call(INTREE_CROWD_THERE, 1);
        row.equal(program.seen().runs, 0, "runs for the others");
    }
    {
        Row row("one that is inlined everywhere is refused");
        refused(row, types().only("intree_half", "intree_there.c"), {"intree_half", "inlined"});
    }
    Row row("another of that name with a body is attached");
    Program program(Kind::fentry, types().only("intree_half", "intree_here.c"));
    sees(row, program, INTREE_HALF_HERE, {0xfedcba9876543210, 0, 0}, {0xfedcba9876543210});
    call(INTREE_HALF_THERE, 1, 2);
    row.equal(program.seen().runs, 0, "runs for the inlined one");
}

void changed() {
    struct {
        const char *name, *parameter;
        intree_which which;
        std::vector<uint64_t> args, seen;
    } const cases[] = {
        {"intree_unused",
         "unused",
         INTREE_UNUSED,
         {1, 0x123456789abcdef0, 0},
         {0x123456789abcdef0}},
        {"intree_piece", "pair", INTREE_PIECE, {1, 0x2222222222222222, 3}, {}},
        {"intree_fixed", "fixed", INTREE_FIXED, {0x123456789abcdef0, 1, 0}, {0x123456789abcdef0}},
    };
    for (const auto &[name, parameter, which, args, seen] : cases) {
        {
            Row row(std::string(name) + ": is refused, naming the missing parameter");
            refused(row, types().only(name), {name, parameter});
        }
        const std::vector<std::string> names = types().names(name + std::string("."));
        if (seen.empty()) {
            Row row(std::string(name) +
                    ": has no true signature, since DWARF does not tell its parts");
            row.expect(names.empty(), "it has");
            continue;
        }
        Row row(std::string(name) + ": its true signature is attached and sees its arguments");
        row.equal(static_cast<int64_t>(names.size()), 1, "names with a suffix");
        if (names.empty())
            continue;
        row.expect(symbols(names[0], "intree_test").size() == 1, names[0] + ": no symbol");
        Program by_id(Kind::fentry, types().only(names[0]));
        sees(row, by_id, which, args, seen);
        by_id.detach();
        // SEC("fentry/foo.isra.0") would attach like this.
        Program by_name(names[0]);
        sees(row, by_name, which, args, seen);
    }
}

void partial() {
    const Func func = types().only("intree_part");
    {
        Row row("one that is inlined, too, is completed, and the log says so");
        Program program(Kind::fentry, func, 1);
        sees(row, program, INTREE_PART_CALLED, {11, 0, 0}, {11});
        call(INTREE_PART_INLINED, 1, 2, 3);
        row.equal(program.seen().runs, INTREE_PART_SITES, "runs where it is inlined");
        row.expect(program.says("inlined at " + std::to_string(INTREE_PART_SITES) +
                                " sites: fentry runs there, too"),
                   program.log());
    }
    {
        Row row("not completed it is attached, and the log says what will be missed");
        const Completing off("off");
        Program program(Kind::fentry, func, 1);
        sees(row, program, INTREE_PART_CALLED, {11, 0, 0}, {11});
        call(INTREE_PART_INLINED, 1, 2, 3);
        row.equal(program.seen().runs, 0, "runs where it is inlined");
        row.expect(program.says("inlined at " + std::to_string(INTREE_PART_SITES) + " sites"),
                   program.log());
    }
    Row row("the log says nothing of it where none is asked for");
    const Program program(Kind::fentry, func, 0);
    row.expect(program.runs(), std::strerror(program.error()));
    row.expect(program.log().empty(), program.log());
}
