# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make help` says what can be made. All output goes under build/, one folder for each variant;
# the same rules serve them all:
#   release        what a user runs
#   arm64          the same, cross built for arm64, and what guests of it run
#   shared         libbtf_extra.so and libbtf_extra.a, of the same objects
#   asan           what `make check` tests: AddressSanitizer, UndefinedBehaviorSanitizer
#   fuzz           clang and libFuzzer: the C core, and what the fuzzers ask for
#   freestanding   the C core without a C library, for a look at what it calls
#   odr            the objects of asan once more, so that the linker compares their types

# make runs as many jobs as there are processors, unless -j or a make above this one says otherwise.
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell nproc)
endif
.SECONDARY:
.DELETE_ON_ERROR:

VERSION := $(shell sed -n 's/^\#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' kernel/core/version.h)
SONAME := libbtf_extra.so.$(basename $(VERSION))

VARIANTS := release arm64 asan fuzz freestanding

# Yours to set, here or on the command line. The flags are for release and shared, what a user gets;
# WERROR=1 is for those who can mend a warning, such as `make check`. It compiles the same code with less
# debug information, which takes a fifth less time.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
OPTIMIZED := -O2 $(if $(WERROR),-g1,-g)
CFLAGS ?= $(OPTIMIZED)
CXXFLAGS ?= $(OPTIMIZED)
# $(call llvm,NAME): the program of LLVM 14, which is tested, or else any there is.
llvm = $(or $(shell for t in $(1)-14 $(1) $(addprefix $(1)-,19 18 17 16 15 13); do \
	command -v $$t >/dev/null && echo $$t && break; done),$(1))
CLANG ?= $(call llvm,clang)
CLANGXX ?= $(call llvm,clang++)
LLVM_STRIP ?= $(call llvm,llvm-strip)
CLANG_TIDY ?= $(call llvm,clang-tidy)
WARNINGS := -Wall -Wextra $(if $(WERROR),-Werror)
CFLAGS_ALL := -std=gnu11 -I. $(WARNINGS)
CXXFLAGS_ALL := -std=c++20 -I. -Iinclude/uapi $(WARNINGS) -pthread
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
SYSTEM_INCLUDE = /usr/include/$(shell gcc -print-multiarch)
LIBS := -ldw -lelf -lbpf -lcapstone -lfmt -lz -lzstd -pthread
COMMAND_LIBS := -lcrypto $(LIBS)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# Compiled files are kept beside the downloads, for any checkout.
ifneq ($(shell command -v ccache),)
CCACHE := ccache
export CCACHE_DIR := $(or $(BTF_EXTRA_CACHE),$(HOME)/.cache/btf-extra)/ccache
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
# The compiler says which files it read, so that they need not be preprocessed first.
export CCACHE_DEPEND := 1
export CCACHE_MAXSIZE := 2G
endif

LLVM := /usr/lib/llvm-14

# The shared library has the same objects.
build/release/% build/arm64/% build/shared/%: FLAGS := -DNDEBUG -fPIC -fno-semantic-interposition
# Programs for guests are compiled in half the time so, and run once.
build/release/obj/tests/vm/% build/arm64/obj/tests/vm/%: FLAGS := -DNDEBUG -O1 -g1
build/release/obj/tests/vm/bench/% build/arm64/obj/tests/vm/bench/%: FLAGS := -DNDEBUG
build/release/% build/arm64/% build/shared/%: USER_CFLAGS = $(CPPFLAGS) $(CFLAGS)
build/release/% build/arm64/% build/shared/%: USER_CXXFLAGS = $(CPPFLAGS) $(CXXFLAGS)
build/release/% build/arm64/% build/shared/%: USER_LDFLAGS = $(LDFLAGS)
# The folder is looked for when the first file asks.
arm64_root = $(eval arm64_root := $(or $(SYSROOT),$(shell vm/fetch-sysroot.sh arm64)))$(arm64_root)
build/arm64/%: CROSS_COMPILE ?= aarch64-linux-gnu-
build/arm64/%: override CC = $(CROSS_COMPILE)gcc --sysroot=$(arm64_root)
build/arm64/%: override CXX = $(CROSS_COMPILE)g++ --sysroot=$(arm64_root)
build/arm64/%: BPF_ARCH := arm64
build/arm64/%: SYSTEM_INCLUDE = $(arm64_root)/usr/include/aarch64-linux-gnu
build/asan/%: FLAGS := -O1 -g1 -fno-lto $(SANITIZE)
# UBSan has two million notes with addresses in them. To relocate them took half of the time of a start.
# There are many programs, and lld links one in a third of the time.
build/asan/%: USER_LDFLAGS := -no-pie -B$(LLVM)/bin -fuse-ld=lld
# They have what the linker compares, too: build/odr/all.o.
FAT := -flto -ffat-lto-objects
build/asan/obj/kernel/core/%: FLAGS := -O1 -g1 $(FAT) $(SANITIZE)
# To optimize C++ with sanitizers takes more time than the tests gain by it.
build/asan/obj/userspace/%: FLAGS := -O0 -g1 $(FAT) $(SANITIZE)
build/asan/obj/tests/unit/%_test.cpp.o: FLAGS := -O0 -g1 $(SANITIZE)
build/fuzz/%: FLAGS := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
# The fuzzers count how often each piece of the core's code runs: tests/fuzz/steps.h.
build/fuzz/obj/kernel/core/%: FLAGS := -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link -fprofile-instr-generate
build/fuzz/%: override CC = $(CLANG)
build/fuzz/%: override CXX = $(CLANGXX)
build/freestanding/%: FLAGS := -O2 -ffreestanding -fno-pic

CORE := $(wildcard kernel/core/*.c)
FORMAT := $(wildcard userspace/format/*.cpp userspace/code/*.cpp userspace/text/*.cpp)
LIBRARY := $(wildcard userspace/lib/*.cpp userspace/lib/*/*.cpp)
GENERATOR := $(wildcard userspace/generator/*.cpp userspace/generator/*/*.cpp)
CLI := $(wildcard $(foreach f,audit cli follow host phantoms stacks trace,userspace/$f/*.cpp))
MAIN := userspace/cli/main.cpp
USERSPACE := $(FORMAT) $(LIBRARY) $(GENERATOR) $(filter-out $(MAIN),$(CLI))
SUPPORT := $(wildcard tests/core/*.c tests/support/*.c tests/support/*.cpp)
TESTS_UNIT := $(wildcard tests/unit/*/*_test.cpp)
TESTS_REAL := $(wildcard tests/real/*_test.cpp)
FUZZERS := $(patsubst tests/fuzz/%,%,$(basename $(wildcard tests/fuzz/*_fuzz.c tests/fuzz/*_fuzz.cpp)))
BENCHES := $(patsubst tests/bench/%.cpp,%,$(wildcard tests/bench/*_bench.cpp))

BPF_COMPILE = $(CLANG) -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -std=gnu11 -g -O2 $(WARNINGS) \
	-Wno-unused-parameter -I. -Iinclude/uapi "-I$(SYSTEM_INCLUDE)"

# Shown instead of the command; V=1 shows the command.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $@;)

# ---- what is asked for ----

.PHONY: help demo check check-all userspace install deb check-deb check-fleet kernel kernel-tree dkms kunit fuzz fuzz-vm mutants sweep storms \
	check-llvm check-native check-kcsan bench bench-vm bench-intree bench-install check-intree flamegraph audit-table vm tidy \
	compile_commands clean FORCE

help:
	@echo 'make demo        build, fetch a Debian kernel with debug info, generate, look around;'
	@echo '                 with ARCH=arm64 one for arm64'
	@echo 'make check       what a change needs: the tests on this machine, and two kernels in virtual machines;'
	@echo '                 the last line is "N passed, N failed, N skipped"'
	@echo 'make check-all   every test: nine kernels, arm64, fuzzers, DKMS, a patched kernel (an hour and more)'
	@echo 'make userspace   build/release/btf-extra; with ARCH=arm64 build/arm64/btf-extra'
	@echo 'make install     the command, the library, manual pages and completion, to PREFIX (in DESTDIR)'
	@echo 'make deb         packages of Debian, in build/deb; with SUITE=bookworm|trixie in a clean chroot'
	@echo '                 (root), with SUITE=trixie:arm64 for that'
	@echo 'make kernel      btf_extra.ko for the kernel with the build tree KDIR; with BLOB, a file of'
	@echo '                 "btf-extra generate", btf_extra_vmlinux.ko too: what it knows'
	@echo 'make kernel-tree puts it into the kernel source SRC (7.x), to be built with that kernel'
	@echo 'make dkms        the same for every kernel to come: hands the sources to DKMS (as root)'
	@echo 'make kunit       the KUnit suites, on a kernel with KASAN and lockdep in QEMU'
	@echo 'make check-intree   of these, what is about a kernel that is built with it;'
	@echo '                    with ARCH=arm64 its build for arm64'
	@echo 'make check-kcsan what the lean kernel is tested with, on one with KCSAN (an hour)'
	@echo 'make check-native   what an arm64 machine builds, in an emulated Debian (root; an hour)'
	@echo 'make fuzz        the fuzzers without end, or one of them: FUZZER=name; or RUNS=number inputs for each'
	@echo 'make mutants     files with wrong bytes, COUNT=50000 of each kind, through every subcommand'
	@echo 'make fuzz-vm     random calls of the device, in a virtual machine: KERNEL=lean|6.1|...'
	@echo 'make sweep       a program at every site of every function of KERNEL="6.1 lean" (hours)'
	@echo 'make storms      tracers of stubs come and go, five minutes of each kind: KERNEL=lean|6.1|...'
	@echo 'make check-llvm  stacks and lines of a million addresses against LLVM'"'"'s (an hour)'
	@echo 'make check-deb   packages that are built in clean chroots of bookworm and trixie, twice'
	@echo 'make check-fleet  two guests take their tables from one nginx and one debuginfod'
	@echo 'make flamegraph  draws the pictures of README.md (npm)'
	@echo 'make audit-table  writes userspace/AUDIT.md: what well-known tools miss on eight kernels of Debian'
	@echo 'make bench       speed and size against pahole, on a real kernel'
	@echo 'make bench-vm    cost of the kernel module, in virtual machines: KERNEL=6.1|6.12|7.x|6.12-arm64|all'
	@echo 'make bench-intree  what CONFIG_DEBUG_INFO_BTF_EXTRA costs a kernel build, and its kernel (slow)'
	@echo 'make bench-install  from a bare Debian to the first traced call, by step: SUITES="bookworm trixie"'
	@echo 'make vm          a shell in a virtual machine with everything loaded:'
	@echo '                 KERNEL=6.1|6.12|7.x|lean|intree, and 6.1-arm64|6.12-arm64|7.x-arm64'
	@echo 'make tidy        clang-tidy over the C++ sources (slow)'
	@echo 'make compile_commands   build/compile_commands.json, for clangd'
	@echo 'make clean       removes build/'
	@echo
	@echo 'demo, check, check-all, kunit, fuzz, bench, bench-vm and vm install the Debian packages that they need.'
	@echo 'Downloads and kernels are kept in $$BTF_EXTRA_CACHE, by default ~/.cache/btf-extra.'

demo:
	@ARCH=$(ARCH) userspace/demo.sh

flamegraph:
	@userspace/packages.sh build kernel vm
	@$(MAKE) --no-print-directory build/release/btf-extra
	@userspace/flamegraph.sh

audit-table:
	@userspace/packages.sh build vm
	@$(MAKE) --no-print-directory build/release/btf-extra
	@userspace/audit_table.py

check:
	@tests/harness/check.sh

check-all:
	@tests/harness/check.sh --all

userspace: build/$(if $(filter arm64,$(ARCH)),arm64,release)/btf-extra

# KDIR=/lib/modules/$(uname -r)/build by default; OUT=build/kernel/out.
KDIR = /lib/modules/$(shell uname -r)/build
OUT = build/kernel/out
kernel:
	@kernel/build/build.sh $(KDIR) $(OUT) $(if $(BLOB),--blob $(BLOB)) $(if $(V),W=1) \
		$(if $(ARCH),ARCH=$(ARCH)) $(if $(CROSS_COMPILE),CROSS_COMPILE=$(CROSS_COMPILE))
	@ls $(OUT)/kernel/btf_extra.ko $(if $(BLOB),$(OUT)/kernel/data/btf_extra_vmlinux.ko)

# The library with its headers, the command, manual pages and completion.
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
INSTALLED := build/release/btf-extra build/shared/$(SONAME) build/shared/libbtf_extra.a
install: $(INSTALLED)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include/linux include/bpf) \
		$(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 man/man3 \
		bash-completion/completions zsh/site-functions) $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 755 build/release/btf-extra $(DESTDIR)$(PREFIX)/bin
	ln -sf btf-extra $(DESTDIR)$(PREFIX)/bin/btf-extra-addr2line
	install -m 644 userspace/lib/btf_extra.h $(DESTDIR)$(PREFIX)/include
	install -m 644 include/uapi/linux/btf_extra.h $(DESTDIR)$(PREFIX)/include/linux
	install -m 644 userspace/bpf/btf_loc.bpf.h $(DESTDIR)$(PREFIX)/include/bpf
	install -m 644 userspace/man/btf-extra.1 $(DESTDIR)$(PREFIX)/share/man/man1
	ln -sf btf-extra.1 $(DESTDIR)$(PREFIX)/share/man/man1/btf-extra-addr2line.1
	install -m 644 userspace/man/libbtf_extra.3 $(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 userspace/completion/btf-extra.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/btf-extra
	install -m 644 userspace/completion/_btf-extra $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -m 644 build/shared/libbtf_extra.a $(DESTDIR)$(LIBDIR)
	install -m 755 build/shared/$(SONAME) $(DESTDIR)$(LIBDIR)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libbtf_extra.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' userspace/lib/libbtf_extra.pc.in \
		> $(DESTDIR)$(LIBDIR)/pkgconfig/libbtf_extra.pc

# The packages of Debian; with SUITE=trixie or SUITE=trixie:arm64 from a clean chroot.
deb: SUITE =
deb:
	@userspace/packages.sh $(if $(SUITE),,build) deb
	@userspace/deb.sh build/deb$(if $(SUITE),/$(subst :,-,$(SUITE))) $(SUITE)

# The packages are built and tried in clean chroots of SUITES.
check-deb: SUITES = bookworm trixie trixie:arm64
check-deb:
	@tests/harness/check_deb.sh $(SUITES)

# KERNELS: other kernels of vm/kernels.list, by default 6.1 7.x.
check-fleet:
	@userspace/packages.sh build kernel vm
	@$(MAKE) --no-print-directory build/release/btf-extra
	@tests/harness/fleet_guests.sh $(KERNELS)

# A kernel source with all of it, to be built as any other: SRC; with LINK=1 links to the sources.
SRC =
kernel-tree:
	@kernel/build/tree.sh '$(SRC)' $(if $(LINK),link)

dkms:
	@kernel/build/dkms.sh

kunit:
	@tests/harness/kunit.sh

check-native:
	@tests/harness/check_native.sh

check-kcsan:
	@tests/harness/check_kcsan.sh

check-intree:
	@ARCH=$(ARCH) tests/harness/check_intree.sh

fuzz:
	@RUNS=$(RUNS) tests/harness/fuzz.sh $(FUZZER)

# Files with wrong bytes through all subcommands, COUNT of tables and as many of debug information.
mutants: COUNT = 50000
mutants:
	@userspace/packages.sh build check
	@$(MAKE) --no-print-directory build/asan/tests/mutants_test
	@tests/harness/mutants.sh $(COUNT)

# Random calls of the device, on KERNEL, without end.
fuzz-vm: KERNEL = lean
fuzz-vm:
	@userspace/packages.sh build check kernel vm
	@LIMIT=86400 PARTS="0 $$(date +%s)" tests/harness/run_vm_tests.sh $(CURDIR)/build/fuzz-vm ioctl_fuzz $(KERNEL)

# A program at every site of every function; KERNEL: one or more of tests/vm/suites.list.
sweep: KERNEL = 6.1 lean
sweep:
	@userspace/packages.sh build check kernel vm
	@LIMIT=43200 tests/harness/run_vm_tests.sh $(CURDIR)/build/sweep sweep $(KERNEL)
	@grep -h '^# \|^fail' build/sweep/logs/vm_*.log

# Tracers, modules and tasks come and go around stubs, each kind of storm.cpp for SECONDS; KERNEL as above.
storms: KERNEL = lean
storms: SECONDS = 300
storms: KINDS =
storms:
	@userspace/packages.sh build check kernel vm
	@LIMIT=43200 PARTS="$(SECONDS) $(KINDS)" tests/harness/run_vm_tests.sh $(CURDIR)/build/storms storms $(KERNEL)

# Chains and lines of random addresses against LLVM's; KERNEL: one or more of vm/kernels.list.
check-llvm: KERNEL = 6.1 6.12 7.x
check-llvm: COUNT = 1000000
check-llvm:
	@userspace/packages.sh build check
	@$(MAKE) --no-print-directory build/release/btf-extra build/release/place_object
	@for kernel in $(KERNEL); do tests/real/compare_llvm.py $$kernel $(COUNT) || exit; done

bench:
	@userspace/packages.sh build bench
	@$(MAKE) --no-print-directory build-bench
	@vmlinux=$$(vm/fetch-vmlinux.sh) && tools=$$(vm/fetch-perf.sh) && \
		missed=0 && { tests/bench/generate_bench.py "$$vmlinux" || missed=1; } && \
		{ tests/bench/frames_bench.py "$$vmlinux" "$$tools" || missed=1; } && exit $$missed

bench-vm: KERNEL = all
bench-vm:
	@userspace/packages.sh build kernel vm $(if $(filter %-arm64,$(KERNEL)),arm64)
	@$(MAKE) --no-print-directory build/release/btf-extra \
		$(foreach v,$(if $(filter %-arm64,$(KERNEL)),arm64) $(if $(filter-out %-arm64,$(KERNEL)),release),\
		build/$v/btf-extra $(addprefix build/$v/vm/,$(foreach p,attach phantom,bench/$p_bench bench/$p_bench.bpf.o) bench/follow_bench audit/audit_guest audit/audit.bpf.o))
	@tests/bench/vm_bench.py $(if $(filter all,$(KERNEL)),6.1 6.12 7.x,$(KERNEL))

bench-intree:
	@userspace/packages.sh build kernel vm bench
	@$(MAKE) --no-print-directory build/release/btf-extra
	@tests/bench/modules_bench.py
	@tests/bench/verify_bench.py
	@tests/bench/build_bench.sh

bench-install: SUITES = bookworm trixie
bench-install:
	@userspace/packages.sh deb vm
	@tests/bench/install_bench.sh $(SUITES)

# VM_FILES: a folder that is in the guest's /; VM_START: what the guest's shell does first.
KERNEL ?= 6.12
vm: KERNEL = 6.12
vm:
	@userspace/packages.sh build vm $(if $(filter %-arm64,$(KERNEL)),arm64)
	@$(MAKE) --no-print-directory userspace $(if $(filter %-arm64,$(KERNEL)),build/arm64/btf-extra)
	@vm/prepare.sh $(KERNEL) build/vm/shell >/dev/null
	@vm/run.sh $(KERNEL) --shell --files build/vm/shell $(addprefix --files ,$(VM_FILES)) -- \
		sh -c '$(or $(VM_START),insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; \
		btf-extra stat --running)'

tidy:
	@userspace/packages.sh check
	@printf '%s\n' $(USERSPACE) $(MAIN) | \
		xargs -P $$(nproc) -I {} $(CLANG_TIDY) --quiet {} -- $(CXXFLAGS_ALL)

# It tells editors how each file of release is compiled. clangd looks for it in build/.
compile_commands:
	@mkdir -p build
	@$(MAKE) --no-print-directory -Bn V=1 CCACHE= $(call object,release,$(CORE) $(USERSPACE) $(MAIN)) | \
		python3 -c 'import json, sys; json.dump([{"directory": "$(CURDIR)", "command": line.strip(), \
		"file": line.split()[-1]} for line in sys.stdin if " -c -o " in line], sys.stdout, indent=1)' \
		> build/compile_commands.json

clean:
	rm -rf build

# ---- how it is made ----

object = $(patsubst %,build/$(1)/obj/%.o,$(2))

# Code that runs once or waits for people is made small: CLI11 would be a third of the command. Code
# that each line of a text or each call goes through is made fast.
SMALL := $(filter-out userspace/stacks/stack_filter.cpp userspace/trace/trace_output.cpp \
	userspace/cli/list.cpp userspace/cli/record_sink.cpp,$(CLI)) \
	$(wildcard userspace/generator/*.cpp userspace/lib/attach/*.cpp) userspace/generator/dwarf/debug_file.cpp
$(call object,release,$(SMALL)) $(call object,arm64,$(SMALL)): \
	FLAGS := -DNDEBUG -fPIC -fno-semantic-interposition -Os

# $(call archive,FILE,OBJECTS): the list beside it changes only when a source comes or goes, so
# that the archive forgets one that is gone.
define archive
$(1): $(2) $(1).list
	$$(call say,AR) rm -f $$@ && ar rcs $$@ $(2)
$(1).list: FORCE
	@mkdir -p $$(@D); echo '$(2)' | cmp -s - $$@ || echo '$(2)' > $$@
endef

LINK_CXX = $(CXX) $(USER_CXXFLAGS) $(FLAGS) $(USER_LDFLAGS)
COMPILED_BY = $(CC) $(CXX) $(CLANG) $(WARNINGS) $(USER_CFLAGS) $(USER_CXXFLAGS)

# $(call variant,NAME)
define variant
build/$(1)/obj/%.c.o: %.c Makefile build/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,CC) $$(CCACHE) $$(CC) $$(CFLAGS_ALL) $$(USER_CFLAGS) $$(FLAGS) -MD -MP -c -o $$@ $$<
build/$(1)/obj/%.cpp.o: %.cpp Makefile build/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,CXX) $$(CCACHE) $$(CXX) $$(CXXFLAGS_ALL) $$(USER_CXXFLAGS) $$(FLAGS) -MD -MP -c -o $$@ $$<
# Changes only when compilers or flags do.
build/$(1)/flags: FORCE
	@mkdir -p $$(@D); echo '$$(COMPILED_BY)' | cmp -s - $$@ || echo '$$(COMPILED_BY)' > $$@

$(call archive,build/$(1)/libcore.a,$(call object,$(1),$(CORE)))
$(call archive,build/$(1)/libuserspace.a,$(call object,$(1),$(USERSPACE)))
$(call archive,build/$(1)/libsupport.a,$(call object,$(1),$(SUPPORT)))

build/$(1)/btf-extra: $(call object,$(1),$(MAIN)) build/$(1)/bpf/trace_program.o \
		build/$(1)/libuserspace.a build/$(1)/libcore.a
	$$(call say,LD) $$(LINK_CXX) -o $$@ $$^ $$(COMMAND_LIBS)

# Programs for the kernel.
build/$(1)/bpf/%.bpf.o: userspace/bpf/%.bpf.c Makefile build/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,BPF) $$(BPF_COMPILE) -fdebug-compilation-dir=. -MMD -MP -c -o $$@ $$< && $$(LLVM_STRIP) -g $$@

# The same as bytes in a program that loads it.
build/$(1)/bpf/%_program.o: userspace/bpf/%_program.S build/$(1)/bpf/%.bpf.o
	$$(call say,AS) $$(CC) -c -Wa,-I$$(@D) -o $$@ $$<

endef
$(foreach v,$(VARIANTS),$(eval $(call variant,$(v))))

# $(call test,VARIANT,SOURCE): build/VARIANT/tests/NAME, in whatever folder its source is.
test_program = build/$(1)/tests/$(basename $(notdir $(2)))
define test
$(call test_program,$(1),$(2)): $(call object,$(1),$(2)) build/$(1)/libsupport.a \
		build/$(1)/libuserspace.a build/$(1)/libcore.a
	@mkdir -p $$(@D)
	$$(call say,LD) $$(LINK_CXX) -o $$@ $$^ -lgtest_main -lgtest $$(COMMAND_LIBS)
endef
$(foreach t,$(TESTS_UNIT),$(eval $(call test,asan,$(t))))
$(foreach t,$(TESTS_REAL),$(eval $(call test,release,$(t))))

# The library has neither the generator nor what the command alone uses.
LIBRARY_OBJECTS := $(call object,release,$(FORMAT) $(LIBRARY) $(CORE))
$(eval $(call archive,build/shared/libbtf_extra.a,$(LIBRARY_OBJECTS)))
build/shared/$(SONAME): $(LIBRARY_OBJECTS) userspace/lib/libbtf_extra.map
	@mkdir -p $(@D)
	$(call say,LD) $(LINK_CXX) -shared -Wl,--as-needed -Wl,-soname,$(@F) -Wl,-z,defs \
		-Wl,--version-script=userspace/lib/libbtf_extra.map -o $@ $(LIBRARY_OBJECTS) $(LIBS)

TESTS_ASAN := $(foreach t,$(TESTS_UNIT),$(call test_program,asan,$(t)))
TESTS_RELEASE := $(foreach t,$(TESTS_REAL),$(call test_program,release,$(t)))
BENCHES_RELEASE := $(addprefix build/release/bench/,$(BENCHES) libdw_walk gsym_look_up)
FUZZERS_BUILT := $(addprefix build/fuzz/,$(FUZZERS))

build/release/bench/%_bench: build/release/obj/tests/bench/%_bench.cpp.o \
		build/release/libuserspace.a build/release/libcore.a
	@mkdir -p $(@D)
	$(call say,LD) $(LINK_CXX) -o $@ $^ -lbenchmark_main -lbenchmark $(LIBS)

build/release/place_object: build/release/obj/tests/real/place_object.cpp.o \
		build/release/libsupport.a build/release/libuserspace.a build/release/libcore.a
	$(call say,LD) $(LINK_CXX) -o $@ $^ -lgtest $(LIBS)

build/release/bench/libdw_walk: build/release/obj/tests/bench/libdw_walk.cpp.o
	@mkdir -p $(@D)
	$(call say,LD) $(LINK_CXX) -o $@ $^ $(LIBS)

build/release/obj/tests/bench/gsym_look_up.cpp.o: FLAGS := -isystem $(LLVM)/include
build/release/bench/gsym_look_up: build/release/obj/tests/bench/gsym_look_up.cpp.o
	@mkdir -p $(@D)
	$(call say,LD) $(LINK_CXX) -o $@ $^ -L$(LLVM)/lib -lLLVM-14

# $(call guest,VARIANT): programs for a guest, of one source or, as FOLDER/FOLDER_guest, of all in
# their folder, and BPF objects.
GUEST_FOLDERS := $(patsubst tests/vm/%_guest.cpp,%,$(wildcard tests/vm/*/*_guest.cpp))
guest_objects = $(filter-out build/$(1)/obj/tests/vm/$(2)_guest.cpp.o,$(call object,$(1),\
	$(wildcard tests/vm/$(dir $(2))*.cpp)))
guest_built = $(patsubst %,build/$(1)/vm/%_guest,$(GUEST_FOLDERS)) \
	$(patsubst tests/vm/%.c,build/$(1)/vm/%,$(wildcard tests/vm/*.c)) \
	$(addprefix build/$(1)/vm/,running_compare running_access) \
	$(patsubst tests/vm/%.c,build/$(1)/vm/%.o,$(filter-out tests/vm/bench/%,\
		$(wildcard tests/vm/*/*.bpf.c)))
define guest
build/$(1)/vm/%: build/$(1)/obj/tests/vm/%.cpp.o build/$(1)/libuserspace.a \
		build/$(1)/libcore.a
	@mkdir -p $$(@D)
	$$(call say,LD) $$(LINK_CXX) -o $$@ -Wl,--start-group $$^ -Wl,--end-group $$(LIBS)
build/$(1)/vm/%: build/$(1)/obj/tests/vm/%.c.o
	@mkdir -p $$(@D)
	$$(call say,LD) $$(CC) $$(USER_CFLAGS) $$(FLAGS) $$(USER_LDFLAGS) -pthread -o $$@ $$^
build/$(1)/vm/running_compare: build/$(1)/obj/tests/vm/running_listing.cpp.o
build/$(1)/vm/%.bpf.o: tests/vm/%.bpf.c Makefile build/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,BPF) $$(BPF_COMPILE) -MMD -MP -c -o $$@ $$<
$(foreach g,$(GUEST_FOLDERS),$(eval build/$(1)/vm/$(g)_guest: $(call guest_objects,$(1),$(g))))
build/$(1)/vm/core/core_guest: $(call object,$(1),$(wildcard tests/core/*.c))
endef
$(foreach v,release arm64,$(eval $(call guest,$(v))))

# A fuzzer in C is linked with only the core and its test support; one in C++ with everything.
FUZZ_C := build/fuzz/libcore_support.a
$(eval $(call archive,$(FUZZ_C),$(call object,fuzz,$(filter %.c,$(SUPPORT)))))
build/fuzz/%_fuzz: build/fuzz/obj/tests/fuzz/%_fuzz.c.o $(FUZZ_C) build/fuzz/libcore.a
	$(call say,LD) $(CC) $(FLAGS) -fsanitize=fuzzer -fprofile-instr-generate -o $@ $^
build/fuzz/%_fuzz: build/fuzz/obj/tests/fuzz/%_fuzz.cpp.o build/fuzz/libsupport.a \
		build/fuzz/libuserspace.a build/fuzz/libcore.a
	$(call say,LD) $(CXX) $(FLAGS) -fsanitize=fuzzer -fprofile-instr-generate -o $@ $^ $(LIBS)

build/freestanding/core.o: $(call object,freestanding,$(CORE))
	$(call say,LD) ld -r -o $@ $^

# All objects, not only those that something refers to. Their types are compared when they are put
# together; code for them, which takes most of the time of a link, is not made.
build/odr/all.o: $(call object,asan,$(MAIN) $(USERSPACE) $(CORE))
	@mkdir -p $(@D)
	$(call say,LD) $(CXX) -O0 -flto -Werror=odr -Werror=lto-type-mismatch $(SANITIZE) \
		-r -flinker-output=rel -o $@ $^

# The scripts build these.
.PHONY: build-install build-check build-fuzz build-guest build-guest-arm64 build-bench
build-check: build/release/btf-extra build/asan/btf-extra $(TESTS_ASAN) $(TESTS_RELEASE) \
		build-guest build/freestanding/core.o
build-install: $(INSTALLED)
build-guest: build/release/btf-extra $(call guest_built,release)
build-guest-arm64: build/arm64/btf-extra $(call guest_built,arm64)
build-fuzz: $(FUZZERS_BUILT)
build-bench: build/release/btf-extra $(BENCHES_RELEASE)

-include $(shell find $(addprefix build/,$(VARIANTS)) -name '*.d' 2>/dev/null)
