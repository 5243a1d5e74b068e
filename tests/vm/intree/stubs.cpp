// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Phantom functions in a kernel whose verifier asks: a program that names a function which is only
// inlined is attached to the stub of its calls.
#include <unistd.h>

#include "tests/vm/guest_phantoms.h"
#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

// A call of it with a file that is not open fails, but only where its arguments are looked at.
const char *const kLseek = "__do_sys_lseek";
constexpr int kFile = 77;
constexpr off_t kOffset = 5000000000;

bool expose(const std::string &arguments) {
    return shell("btf-extra expose --template /inlined.ko " + arguments + " >/dev/null");
}

bool load_data() {
    return shell("insmod /btf_extra_vmlinux.ko");
}

void wait_until_armed(Row &row, const std::string &stub) {
    const auto state = wait_for_state(stub, "armed");
    row.expect(state.contains("armed") && state.at("armed") != "0", stub + " is not armed");
}

// The program is attached to the stub, and sees the arguments of a call.
void sees_lseek(Row &row, Program &program, const std::string &stub) {
    row.expect(program.runs(), std::strerror(program.error()) + ("\n" + program.log()));
    if (!program.runs())
        return;
    wait_until_armed(row, stub);
    program.seen();
    row.equal(lseek(kFile, kOffset, SEEK_END), -1, "lseek");
    const intree_seen seen = program.seen();
    row.equal(seen.runs, 1, "runs");
    row.equal(static_cast<int64_t>(seen.function), static_cast<int64_t>(stub_address(stub)),
              "function");
    row.equal(static_cast<int64_t>(seen.count), 3, "arguments");
    row.equal(static_cast<uint32_t>(seen.args[0]), kFile, "fd");
    row.equal(static_cast<int64_t>(seen.args[1]), kOffset, "offset");
    row.equal(static_cast<uint32_t>(seen.args[2]), SEEK_END, "whence");
}

void not_exposed() {
    Row row("stubs: a function that is only inlined is refused, and the log says how to expose it");
    const Program program(kLseek);
    row.expect(!program.runs(), "it was attached");
    row.expect(program.says("Or expose it as a function: btf-extra expose __do_sys_lseek"),
               program.log());
}

// The data module is there first: its BTF has the plain name, and the stub another one.
void exposed_later() {
    const std::string stub = "__do_sys_lseek__inlined";
    const Func func = Types("btf_extra_vmlinux").only(kLseek);
    {
        Row row("stubs: exposed with the data module loaded, it is found by its plain name");
        row.expect(expose(kLseek), "it is not exposed");
        Program program(kLseek);
        sees_lseek(row, program, stub);
        row.expect(program.says("no body: attaches to " + stub + " in a module inlined"),
                   program.log());
        row.expect(!shell("rmmod inlined"), "inlined went");
        row.expect(!shell("rmmod btf_extra"), "btf_extra went");
    }
    {
        Row row(
            "stubs: a stub under its own id is refused while it is attached under its function's");
        const Types types("btf_extra_vmlinux"), inlined("inlined");
        const Func own = inlined.only(stub);
        {
            Program first(Kind::fentry, types.only(kLseek));
            const Program second(Kind::fentry, own);
            row.expect(second.error() == EINVAL || second.error() == EBUSY,
                       std::strerror(second.error()));
            sees_lseek(row, first, stub);
        }
        Program second(Kind::fentry, own);
        sees_lseek(row, second, stub);
    }
    {
        Row row("stubs: what is no program of fentry is refused");
        const Types types("btf_extra_vmlinux");
        const Func again = types.only(kLseek);
        row.equal(again.id, func.id, "id");
        for (const Kind kind : {Kind::fexit, Kind::fmod_ret}) {
            const Program program(kind, again);
            row.expect(!program.runs(), "it was attached");
            row.expect(program.says("For its inlined calls attach to " + stub), program.log());
        }
        // It could hold no other module than that of the BTF.
        const Program multi(Kind::fentry_multi, std::vector<Func>{again});
        row.expect(!multi.runs(), "fentry.multi was attached");
    }
    Row row("stubs: one that lacks a parameter is not found by the plain name");
    row.expect(goes("inlined"), "inlined stays");
    row.expect(expose(std::string(kLseek) + " --without whence"), "it is not exposed");
    const Program program(kLseek);
    row.expect(!program.runs(), "it was attached");
    row.expect(program.says(stub + " in a module inlined, without some parameters"), program.log());
    const Program by_its_name(stub);
    row.expect(by_its_name.runs(), by_its_name.log());
}

void of_module() {
    const std::string name = "intree_inlined";
    {
        Row row("stubs: a function of a module is found by its plain name");
        row.expect(goes("inlined"), "inlined stays");
        row.expect(!Program(name).runs(), "it was attached before");
        row.expect(expose("intree_test:" + name), "it is not exposed");
        Program program(name);
        row.expect(program.runs(), program.log());
        wait_until_armed(row, name + "__inlined");
        program.seen();
        const auto small = static_cast<uint8_t>(-7);
        call(INTREE_INLINED, 0x1122334455667788, 0xfedcba98, small);
        const intree_seen seen = program.seen();
        row.equal(seen.runs, 1, "runs");
        row.equal(static_cast<int64_t>(seen.count), 3, "arguments");
        row.equal(static_cast<int64_t>(seen.args[0]), 0x1122334455667788, "value");
        row.equal(static_cast<uint32_t>(seen.args[1]), 0xfedcba98, "narrow");
        row.equal(static_cast<int8_t>(seen.args[2]), -7, "small");
    }
    Row row("stubs: for one that is partly inlined the log names its stub, which sees the rest");
    const std::string stub = "intree_part__inlined";
    const Completing off("off");
    row.expect(expose("intree_test:intree_part"), "it is not exposed");
    Program body("intree_part");
    Program inlined(stub);
    row.expect(body.runs() && inlined.runs(), body.log() + inlined.log());
    row.expect(body.says("For its inlined calls attach to " + stub + " in a module inlined"),
               body.log());
    wait_until_armed(row, stub);
    call(INTREE_PART_INLINED, 1, 2, 3);
    row.equal(body.seen().runs, 0, "runs of the body where it is inlined");
    const intree_seen seen = inlined.seen();
    row.equal(seen.runs, INTREE_PART_SITES, "runs of the stub where it is inlined");
    row.expect(seen.args[0] >= 1 && seen.args[0] <= 3, "argument: " + hex(seen.args[0]));
    call(INTREE_PART_CALLED, 11);
    row.equal(body.seen().runs, 1, "runs of the body where it is called");
    row.equal(inlined.seen().runs, 0, "runs of the stub where it is called");
}

// The tables come as firmware, so that the stub has the plain name; then the data module comes.
void exposed_first() {
    Row row("stubs: exposed before the data module comes, it is found by its plain name");
    row.expect(goes("inlined") && goes("btf_extra_vmlinux") && goes("btf_extra"),
               "our modules do not go");
    row.expect(shell(". /firmware.sh && load_with_firmware"), "no tables from firmware");
    row.expect(expose(kLseek), "it is not exposed");
    row.expect(load_data(), "no data module");
    {
        Program program(kLseek);
        sees_lseek(row, program, kLseek);
    }
    wait_for_state(kLseek, "idle");
    const Types types("btf_extra_vmlinux");
    Program program(Kind::fentry, types.only(kLseek));
    sees_lseek(row, program, kLseek);
}

// The program holds the stub, and not the tables.
void without_data() {
    Row row("stubs: without the data module nothing is hit, and with it again everything");
    Program program(Kind::fentry, Types("btf_extra_vmlinux").only(kLseek));
    row.expect(program.runs(), program.log());
    wait_until_armed(row, kLseek);
    row.expect(!shell("rmmod inlined"), "inlined went");
    row.expect(goes("btf_extra_vmlinux"), "btf_extra_vmlinux stays");
    for (int i = 0; i < 100 && stub_state(kLseek)["armed"] != "0"; i++)
        usleep(100000);
    program.seen();
    lseek(kFile, kOffset, SEEK_END);
    row.equal(program.seen().runs, 0, "runs");
    row.expect(load_data(), "no data module");
    for (int i = 0; i < 100 && stub_state(kLseek)["armed"] == "0"; i++)
        usleep(100000);
    sees_lseek(row, program, kLseek);
}

}  // namespace

void stubs() {
    not_exposed();
    exposed_later();
    of_module();
    exposed_first();
    without_data();
    Row row("stubs: all modules go, and come again");
    row.expect(goes("inlined") && goes("btf_extra_vmlinux") && goes("btf_extra"), "they stay");
    row.expect(shell("rm -r /lib/firmware && insmod /btf_extra.ko") && load_data(),
               "they do not come");
}
