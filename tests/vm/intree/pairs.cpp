// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Two static functions have one name. Each id must attach to its own function.
#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

const Types &types() {
    static const Types types("intree_test");
    return types;
}

const Func &here() {
    static const Func func = types().only("intree_twin", "intree_here.c");
    return func;
}

const Func &there() {
    static const Func func = types().only("intree_twin", "intree_there.c");
    return func;
}

// Both functions are called once. Checks what the program for the first one saw.
void saw_here(Row &row, const intree_seen &seen) {
    row.equal(seen.runs, 1, "runs of the program for intree_here.c");
    row.equal(static_cast<int64_t>(seen.count), 2, "arguments");
    row.expect(seen.args[0] == 0x1122334455667788, "value: " + hex(seen.args[0]));
    row.equal(static_cast<uint32_t>(seen.args[1]), 99, "narrow");
}

void saw_there(Row &row, const intree_seen &seen) {
    row.equal(seen.runs, 1, "runs of the program for intree_there.c");
    row.equal(static_cast<int64_t>(seen.count), 3, "arguments");
    row.equal(static_cast<int8_t>(seen.args[0]), -5, "sign");
    row.equal(static_cast<int64_t>(seen.args[1]), 1000, "first");
    row.equal(static_cast<int64_t>(seen.args[2]), 300, "second");
}

void call_here(Row &row) {
    row.expect(call(INTREE_TWIN_HERE, 0x1122334455667788, 99) == 0x11223344556677eb, "returned");
}

void call_there(Row &row) {
    row.equal(static_cast<int64_t>(call(INTREE_TWIN_THERE, -5, 1000, 300)), 695, "returned");
}

bool runs(Row &row, const Program &program) {
    row.expect(program.runs(), std::strerror(program.error()) + ("\n" + program.log()));
    return program.runs();
}

void alone(Kind kind, const std::string &name) {
    {
        Row row(name + ": the id of the first of a pair");
        Program program(kind, here());
        if (runs(row, program)) {
            call_there(row);
            row.equal(program.seen().runs, 0, "runs for the other");
            call_here(row);
            const intree_seen seen = program.seen();
            saw_here(row, seen);
            if (kind == Kind::fexit)
                row.expect(seen.returned == 0x11223344556677eb, "the program saw it return");
            program.detach();
            call_here(row);
            row.equal(program.seen().runs, 0, "runs when it is detached");
        }
    }
    Row row(name + ": the id of the second of a pair");
    Program program(kind, there());
    if (runs(row, program)) {
        call_here(row);
        row.equal(program.seen().runs, 0, "runs for the other");
        call_there(row);
        const intree_seen seen = program.seen();
        saw_there(row, seen);
        if (kind == Kind::fexit)
            row.equal(static_cast<int32_t>(seen.returned), 695, "the program saw it return");
    }
}

void together() {
    Row row("fentry, fexit: both of a pair at once, each sees its own");
    Program at_here(Kind::fentry, here()), at_there(Kind::fentry, there());
    Program left_here(Kind::fexit, here()), left_there(Kind::fexit, there());
    for (Program *program : {&at_here, &at_there, &left_here, &left_there})
        if (!runs(row, *program))
            return;
    const std::vector<uint64_t> addresses = symbols("intree_twin", "intree_test");
    call_here(row);
    call_there(row);
    const intree_seen in_here = at_here.seen(), in_there = at_there.seen();
    saw_here(row, in_here);
    saw_there(row, in_there);
    saw_here(row, left_here.seen());
    saw_there(row, left_there.seen());
    row.equal(static_cast<int64_t>(addresses.size()), 2, "symbols");
    row.expect(in_here.function != in_there.function, "one address");
    for (uint64_t address : {in_here.function, in_there.function})
        row.expect(std::ranges::count(addresses, address) == 1, hex(address) + ": no symbol");
}

// An id of vmlinux or of the module attaches to the first function of the name, and so does one of
// the added ids.
void same_address() {
    Row row("two ids of one address: the second is refused while the first is attached");
    Func own;
    for (const Func &func : types().named("intree_twin"))
        if (func.file.empty())
            own = func;
    const std::vector<uint64_t> addresses = symbols("intree_twin", "intree_test");
    Program first(Kind::fentry, own);
    runs(row, first);
    call_here(row);
    call_there(row);
    const intree_seen seen = first.seen();
    row.equal(seen.runs, 1, "runs");
    for (const Func &func : {here(), there()}) {
        Program second(Kind::fentry, func);
        call_here(row);
        call_there(row);
        row.equal(first.seen().runs, 1, "runs of the first");
        if (second.runs())
            row.expect(second.seen().function != seen.function, "both at one address");
        else
            row.expect(second.error() == EINVAL || second.error() == EBUSY,
                       std::strerror(second.error()));
    }
}

void multi(Kind kind, const std::string &name) {
    {
        Row row(name + ": both of a pair by one link, each with its cookie");
        Program program(kind, std::vector<Func>{here(), there()});
        if (runs(row, program)) {
            call_here(row);
            intree_seen seen = program.seen();
            saw_here(row, seen);
            row.equal(static_cast<int64_t>(seen.cookie), 1, "cookie");
            call_there(row);
            seen = program.seen();
            saw_there(row, seen);
            row.equal(static_cast<int64_t>(seen.cookie), 2, "cookie");
        }
    }
    Row row(name + ": one of a pair");
    Program program(kind, std::vector<Func>{there()});
    if (runs(row, program)) {
        call_here(row);
        row.equal(program.seen().runs, 0, "runs for the other");
        call_there(row);
        saw_there(row, program.seen());
    }
}

}  // namespace

void pairs() {
    {
        Row row("a pair has two ids, each with its file");
        row.expect(here().id != 0 && there().id != 0 && here().id != there().id, "not found");
        if (here().id == 0 || there().id == 0)
            return;
        row.equal(types().parameters(here()), 2, "parameters");
        row.equal(types().parameters(there()), 3, "parameters");
    }
    alone(Kind::fentry, "fentry");
    alone(Kind::fexit, "fexit");
    together();
    same_address();
    multi(Kind::fentry_multi, "fentry.multi");
    multi(Kind::fexit_multi, "fexit.multi");
    Row row("fmod_ret: is refused as for any function that may not be changed");
    for (const Func &func : {here(), there()}) {
        const Program program(Kind::fmod_ret, func);
        row.equal(program.error(), EINVAL, "errno");
        row.expect(program.says("intree_twin() is not modifiable"), program.log());
    }
}
