/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Opens the bytes of a container with extra_elf_open() and checks its promises. KUnit, GoogleTest
 * and the fuzzer use it.
 */
#ifndef BTF_EXTRA_TESTS_CONTAINER_RUN_H
#define BTF_EXTRA_TESTS_CONTAINER_RUN_H

#include "../../kernel/core/extra_elf.h"

struct container_outcome {
	int error;
	struct btf_fault fault;
	const char *broken;	/* the promise that was broken; NULL: none */
	struct extra_elf elf;
};

/*
 * The promises: extra_elf_open() fails if and only if it reports a fault, and then leaves the
 * object untouched. container_promise() holds for what it accepts.
 */
void container_run(struct container_outcome *run, const void *data, u64 size);

/*
 * All parts are inside the file and aligned. Every section of the object has a name that ends in
 * the file, a range that does not wrap, and is found by its name, which no other section has.
 * Returns NULL, or the promise that was broken.
 */
const char *container_promise(const struct extra_elf *elf, const void *data, u64 size);

#endif
