# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# `btf-extra trace`, by perf kprobes and through the module: guest/trace.sh has all it needs.
prepare() { :; }
