// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/running_kernel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "userspace/format/file_descriptor.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {
namespace {

Error device_error(std::string_view reason, int code = EIO) {
    return Error{fmt::format("{}: {}", BTF_EXTRA_DEVICE, reason), code};
}

class DeviceFile : public QueryDevice {
  public:
    explicit DeviceFile(FileDescriptor fd) : fd_(std::move(fd)) {}

    int info(btf_extra_info &request) override { return call(BTF_EXTRA_IOC_INFO, &request); }
    int lookup(btf_extra_lookup &request) override { return call(BTF_EXTRA_IOC_LOOKUP, &request); }

  private:
    int call(unsigned long command, void *request) const {
        return ioctl(fd_.get(), command, request) == 0 ? 0 : errno;
    }

    FileDescriptor fd_;
};

std::string_view open_failure(int code) {
    switch (code) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return "btf_extra is not loaded: btf-extra install makes tables and loads it";
    case EACCES:
        return "permission denied (root only)";
    case EPERM:
        return "needs CAP_PERFMON or CAP_SYS_ADMIN";
    default:
        return std::strerror(code);
    }
}

std::string_view call_failure(int code) {
    switch (code) {
    case EPERM:
        return kHiddenAddresses;
    case EINVAL:
        return "the kernel refuses this request";
    case ENOTTY:
        return "another version of btf_extra is loaded";
    default:
        return std::strerror(code);
    }
}

struct Page {
    int error;  // errno
    uint32_t count, total, result;
    uint64_t generation;
};

template <class Item> struct Collected {
    std::vector<Item> items;
    uint64_t generation = 0;
    bool hidden = false;
};

// ask(first, items, capacity) -> Page. The error is that of the first page, or restless() if the
// tables have changed between two pages.
template <class Item, class Ask>
Result<Collected<Item>> collect_once(uint32_t page_size, const Ask &ask) {
    Collected<Item> out;
    for (;;) {
        const size_t got = out.items.size();
        out.items.resize(got + page_size);
        const Page page = ask(static_cast<uint32_t>(got), out.items.data() + got, page_size);
        if (got != 0 && (page.error != 0 || page.generation != out.generation))
            return RunningKernel::restless();
        if (page.error != 0)
            return device_error(call_failure(page.error), page.error);
        out.generation = page.generation;
        out.hidden = (page.result & BTF_EXTRA_RESULT_HIDDEN) != 0;
        const size_t now = got + page.count;
        if (page.count > page_size || now > page.total ||
            (page.count < page_size && now != page.total))
            return device_error("counts in a reply contradict each other");
        out.items.resize(now);
        if (now == page.total)
            return out;
    }
}

template <class Item, class Ask>
Result<Collected<Item>> collect(uint32_t page_size, const Ask &ask) {
    Result<Collected<Item>> out = RunningKernel::restless();
    for (int i = 0; i < RunningKernel::kAttempts && !out && out.error().code == EAGAIN; i++)
        out = collect_once<Item>(page_size, ask);
    return out;
}

uint64_t pointer(const std::string &text) {
    return text.empty() ? 0 : reinterpret_cast<uintptr_t>(text.c_str());
}

bool any_can_have(const RunningQuery &query) {
    return query.object.size() < BTF_EXTRA_OBJECT_NAME_LEN &&
           query.name.size() < BTF_EXTRA_NAME_MAX && query.file.size() < BTF_EXTRA_PATH_MAX &&
           query.name.empty() == (query.by != BTF_EXTRA_BY_NAME);
}

}  // namespace

Result<std::unique_ptr<QueryDevice>> open_query_device(const std::string &path) {
    FileDescriptor fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd) {
        const int code = errno;
        return Error{fmt::format("{}: {}", path, open_failure(code)), code};
    }
    return std::unique_ptr<QueryDevice>(std::make_unique<DeviceFile>(std::move(fd)));
}

const btf_extra_object *RunningObjects::find(std::string_view name) const {
    for (const btf_extra_object &object : objects)
        if (object_name(object) == name)
            return &object;
    return nullptr;
}

std::string object_name(const btf_extra_object &object) {
    return {object.name, strnlen(object.name, sizeof(object.name))};
}

std::string object_build_id(const btf_extra_object &object) {
    std::string out;
    for (uint32_t i = 0; i < std::min<size_t>(object.build_id_len, sizeof(object.build_id)); i++)
        out += fmt::format("{:02x}", object.build_id[i]);
    return out;
}

Error RunningKernel::restless() {
    return device_error("the tables keep changing: try again", EAGAIN);
}

Result<RunningObjects> RunningKernel::objects() {
    uint32_t version = BTF_EXTRA_ABI_VERSION;
    // They are few, and asked for again with every look-up.
    constexpr uint32_t kObjectsPage = 64;
    auto found = TRY(collect<btf_extra_object>(
        std::min(page_, kObjectsPage),
        [&](uint32_t first, btf_extra_object *objects, uint32_t capacity) {
            btf_extra_info request = {};
            request.objects = reinterpret_cast<uintptr_t>(objects);
            request.capacity = capacity;
            request.first = first;
            int error = device_->info(request);
            if (error == 0)
                version = request.version;
            return Page{error, request.count, request.total, request.result, request.generation};
        }));
    if (version != BTF_EXTRA_ABI_VERSION)
        return device_error(call_failure(ENOTTY), ENOTTY);
    return RunningObjects{std::move(found.items), found.generation, found.hidden};
}

Result<RunningSites> RunningKernel::lookup(const RunningQuery &query) {
    if (!any_can_have(query))
        return RunningSites{};
    auto found = collect<btf_extra_site>(
        page_, [&](uint32_t first, btf_extra_site *sites, uint32_t capacity) {
            btf_extra_lookup request = {};
            request.by = query.by;
            request.flags = query.flags;
            request.object = pointer(query.object);
            request.name = pointer(query.name);
            request.file = pointer(query.file);
            request.address = query.address;
            request.func_id = query.func_id;
            request.first = first;
            request.sites = reinterpret_cast<uintptr_t>(sites);
            request.capacity = capacity;
            int error = device_->lookup(request);
            return Page{error, request.count, request.total, request.result, request.generation};
        });
    if (!found && found.error().code == ENOENT)
        return RunningSites{};
    if (!found)
        return found.error();
    return RunningSites{std::move(found->items), found->generation, found->hidden};
}

}  // namespace btf_extra
