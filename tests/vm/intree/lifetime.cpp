// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The modules go away while programs are attached that used their answers. In the end they are
// removed.
#include <atomic>
#include <thread>

#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

void data_module() {
    Row row("a program attached by an id of btf_extra_vmlinux keeps the modules, and works");
    auto types = std::make_unique<Types>("btf_extra_vmlinux");
    Program program(Kind::fentry, types->only("print_cpu", "kernel/time/timer_list.c"));
    // Only the program holds them.
    types.reset();
    row.expect(program.runs(), program.log());
    row.expect(!shell("rmmod btf_extra_vmlinux"), "btf_extra_vmlinux went");
    row.expect(!shell("rmmod btf_extra"), "btf_extra went");
    std::ifstream("/proc/timer_list").ignore(1 << 20);
    row.expect(program.seen().runs > 0, "it did not run");
}

void own_module() {
    Row row("a program attached by an id of another module works without ours");
    const Types types("intree_test");
    Program program(Kind::fentry, types.only("intree_twin", "intree_there.c"));
    row.expect(program.runs(), program.log());
    Program multi(Kind::fentry_multi,
                  std::vector<Func>{types.only("intree_twin", "intree_here.c"),
                                    types.only("intree_crowd", "intree_else.c")});
    row.expect(multi.runs(), multi.log());
    row.expect(goes("btf_extra_vmlinux") && goes("btf_extra"), "our modules do not go");
    call(INTREE_TWIN_HERE, 1, 2);
    call(INTREE_TWIN_THERE, 1, 2, 3);
    call(INTREE_CROWD_ELSE, 1, 2);
    row.equal(program.seen().runs, 1, "runs");
    row.equal(multi.seen().runs, 2, "runs of the multi program");
    row.expect(!shell("rmmod intree_test"), "intree_test went");
    row.expect(shell("insmod /btf_extra.ko") && shell("insmod /btf_extra_vmlinux.ko"),
               "our modules do not come again");
    program.detach();
    multi.detach();
    call(INTREE_TWIN_THERE, 1, 2, 3);
    row.equal(program.seen().runs, 0, "runs when it is detached");
}

// The id was not known when the program was attached, and may be known now.
void came_later() {
    Row row("an id that was attached by its name, without our modules, is not attached elsewhere");
    row.expect(goes("btf_extra_vmlinux") && goes("btf_extra"), "our modules do not go");
    const Types types("intree_test");
    const Func there = types.only("intree_twin", "intree_there.c");
    const Program before(Kind::fentry, there);
    row.expect(before.runs(), "not without our modules: " + before.log());
    row.expect(shell("insmod /btf_extra.ko") && shell("insmod /btf_extra_vmlinux.ko"),
               "our modules do not come again");
    Program program(Kind::fentry, there);
    call(INTREE_TWIN_HERE, 1, 2);
    row.equal(program.seen().runs, 0, "runs for the other");
}

// Loads and attaches while the modules come and go.
void race() {
    Row row("programs are loaded while the modules come and go");
    std::atomic<bool> done = false;
    unsigned rounds = 0;
    std::thread modules([&] {
        for (; rounds < 4; rounds++) {
            row.expect(goes("btf_extra_vmlinux") && goes("btf_extra"), "our modules do not go");
            row.expect(shell("insmod /btf_extra.ko") && shell("insmod /btf_extra_vmlinux.ko"),
                       "our modules do not come again");
        }
        done = true;
    });
    const Types types("intree_test");
    const Func there = types.only("intree_twin", "intree_there.c");
    unsigned ours = 0, theirs = 0, refused = 0;
    while (!done) {
        Program program(Kind::fentry, there);
        if (!program.runs()) {
            refused++;
            continue;
        }
        call(INTREE_TWIN_THERE, 1, 2, 3);
        ours += program.seen().runs;
        call(INTREE_TWIN_HERE, 1, 2);
        theirs += program.seen().runs;
    }
    modules.join();
    std::printf("# race: %u in the right one, %u in the first of the name, %u refused\n", ours,
                theirs, refused);
    row.expect(ours > 0, "never attached by its id");
}

}  // namespace

void lifetime() {
    data_module();
    own_module();
    came_later();
    race();
    Row row("our modules go when no program is left");
    row.expect(goes("btf_extra_vmlinux") && goes("btf_extra"), "they do not");
}
