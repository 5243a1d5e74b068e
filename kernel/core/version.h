/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The version of btf-extra: of the command, the library, the module and the DKMS package. It is
 * MAJOR.MINOR and is defined only here. The build reads it, and the house rules check the copies.
 *
 * A kernel build requires this version of its generator. The minor number grows with the features
 * that a build can require. The major number grows when older readers cannot read what is
 * generated, or when the library's interface is not compatible any more.
 */
#ifndef BTF_EXTRA_VERSION_H
#define BTF_EXTRA_VERSION_H

#define BTF_EXTRA_VERSION "1.0"

#endif
