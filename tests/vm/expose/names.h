// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes down what the names of the kernel's functions lead to.
#ifndef BTF_EXTRA_EXPOSE_NAMES_H
#define BTF_EXTRA_EXPOSE_NAMES_H

// The file gets lines: for 500 functions of vmlinux's BTF whether a kprobe attaches by that
// name, whether a program of fentry loads (of the first ones also whether it attaches), and for all
// functions which ids and addresses have the name. Half of the 500 are functions that have a stub
// NAME__inlined in the list, a file whose lines begin with the names of stubs. Two runs with one
// list can be compared.
void write_names(const char *file, const char *stubs);

#endif
