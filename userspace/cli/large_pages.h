// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Gives large pages to the heap of a subcommand that makes tables.
#ifndef BTF_EXTRA_LARGE_PAGES_H
#define BTF_EXTRA_LARGE_PAGES_H

namespace btf_extra {

// Starts the program once more, with a heap of large pages and the same arguments, if its
// subcommand fills hundreds of megabytes. Returns if it does not, if this was done, or if it cannot
// be done: then the pages are small, and the result is the same.
void take_large_pages(int argc, char **argv);

}  // namespace btf_extra

#endif
