// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/api/api_func.h"

using namespace btf_extra;

const char *btf_extra_func_name(const btf_extra_func *func) {
    return func->name.c_str();
}

const char *btf_extra_func_object(const btf_extra_func *func) {
    return func->found.object->name.c_str();
}

const char *btf_extra_func_file(const btf_extra_func *func) {
    return func->file ? func->file->c_str() : nullptr;
}

uint32_t btf_extra_func_id(const btf_extra_func *func) {
    return func->found.id;
}

const char *btf_extra_func_prototype(const btf_extra_func *func) {
    return func->prototype.c_str();
}

uint32_t btf_extra_func_nr_params(const btf_extra_func *func) {
    return static_cast<uint32_t>(func->params.size());
}

const char *btf_extra_func_param(const btf_extra_func *func, uint32_t param) {
    return param < func->params.size() ? func->params[param].c_str() : nullptr;
}

const btf_extra_site *btf_extra_func_sites(const btf_extra_func *func, size_t *nr_sites) {
    *nr_sites = func->found.sites.size();
    return func->found.sites.data();
}

uint64_t btf_extra_site_located(const btf_extra_func *func, const btf_extra_site *site) {
    return located_params(*func->found.object->view, *site);
}
