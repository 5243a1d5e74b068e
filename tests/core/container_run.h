/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Takes the bytes of a container through extra_elf_open(), and says whether its
 * promises were kept. For KUnit, GoogleTest and the fuzzer alike.
 */
#ifndef BTF_EXTRA_TESTS_CONTAINER_RUN_H
#define BTF_EXTRA_TESTS_CONTAINER_RUN_H

#include "../../kernel/core/extra_elf.h"

struct container_outcome {
	int error;
	struct btf_fault fault;
	const char *broken;	/* a promise that was not kept; NULL: all were */
	struct extra_elf elf;
};

/*
 * Promises: it fails if and only if it reports a fault, and leaves the object
 * untouched then. What was accepted keeps container_promise().
 */
void container_run(struct container_outcome *run, const void *data, u64 size);

/*
 * All parts lie in the file and are aligned; every section of the object has a
 * name that ends in the file and a range that does not wrap, and is found by its
 * name, which no other has. NULL, or the promise that was broken.
 */
const char *container_promise(const struct extra_elf *elf, const void *data, u64 size);

#endif
