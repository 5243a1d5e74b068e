// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// All objects whose sites are known, and what a user asks of them: the sites of functions, and the
// sites at an address. They come from the module, from files of the running kernel, or from a file
// and the ELF file that it was made for.
#ifndef BTF_EXTRA_SITE_TABLES_H
#define BTF_EXTRA_SITE_TABLES_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/object_files.h"
#include "userspace/lib/tables/running_kernel.h"
#include "userspace/lib/tables/site_object.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

class SiteTables {
  public:
    // The source of the addresses and flags of the sites.
    enum class Source {
        kModule,   // btf_extra.ko
        kFiles,    // of the running kernel
        kForeign,  // a file of a kernel that does not run here: there are no addresses
        kElf,      // an ELF file: addresses are as linked; in a module there are none
    };

    virtual ~SiteTables() = default;

    // Returns what is found, or nothing: in order of object, name and id, and in each object after
    // that the functions that are found only by symbol. An id without an object is looked up in the
    // first one. It is an error (ENOENT) if there is no object of that name.
    Result<std::vector<FoundFunc>> find(const FuncText &text);
    // Visits the same functions, in the same order.
    Result<void> visit(const FuncText &text, const FoundVisitor &visit);

    // "ffffffff81000000", with 0x or not, or a place as named() reads it. In order of object, name
    // and id; none: no site begins there. An error: the text is none of these.
    Result<std::vector<FoundFunc>> find_at(std::string_view text);

    // The place of "symbol", "symbol+0x10", "symbol+16", "symbol+0x10/0x20" or, in the first
    // object, ".text+0x10". The size of the symbol distinguishes symbols of one name.
    struct Named {
        std::optional<uint32_t> elf_section;  // of the first object
        std::vector<Place> symbols;           // if it is none: where symbols of that name are
        uint64_t offset = 0;
    };
    // It is an error if there is nothing of that name.
    Result<Named> named(std::string_view text) const;

    // All objects at this time; vmlinux, if its tables are loaded, is the first.
    Result<const std::vector<SharedObject> *> objects();

    Source source() const { return source_; }
    bool running() const { return source_ == Source::kModule || source_ == Source::kFiles; }
    virtual const Symbols *symbols() const { return symbols_.get(); }  // NULL: they cannot be seen
    const ElfImage *elf() const { return elf_; }                       // NULL, except Source::kElf
    const std::string &name() const { return name_; }                  // for messages
    // The line "Linux version ..." of a kernel that does not run here; "": it is not known.
    const std::string &banner() const { return banner_; }

  protected:
    SiteTables(Source source, std::string name) : source_(source), name_(std::move(name)) {}
    // Updates objects_, at least those that the text can name.
    virtual Result<void> refresh(const func_text &) { return {}; }

    Source source_;
    std::string name_;
    std::unique_ptr<Symbols> symbols_;
    std::vector<SharedObject> objects_;
    const ElfImage *elf_ = nullptr;
    std::string banner_;

  private:
    Result<std::vector<FoundFunc>> find_at_name(std::string_view text) const;
};

// Opens the tables that the module has loaded. sys_kernel has the kernel's BTF (btf/) and the blobs
// (btf_extra/).
Result<std::unique_ptr<SiteTables>> open_running_tables(RunningKernel kernel,
                                                        const std::string &sys_kernel,
                                                        const std::string &kallsyms,
                                                        FileParts parts = FileParts::kAll);
// Opens the blobs of one of its objects, validated and indexed on top of the BTF that they were
// loaded on.
Result<std::unique_ptr<ObjectView>> open_running_view(const btf_extra_object &object,
                                                      std::shared_ptr<const BtfImage> vmlinux_btf,
                                                      const std::string &sys_kernel,
                                                      FileParts parts = FileParts::kAll);

// The files of the running kernel, or of another one with those of kernel_files.h beside the
// tables.
struct FileTablesPaths {
    std::string file;  // of vmlinux; files of modules are beside it
    std::string base_btf = "/sys/kernel/btf/vmlinux";
    std::string sys_kernel = "/sys/kernel";
    std::string sys_module = "/sys/module";
    std::string kallsyms = "/proc/kallsyms";
    FileParts parts = FileParts::kAll;
};
// same_kernel: the file must be that of the running kernel. The file of a module is opened when a
// question is about that module, or about all objects.
Result<std::unique_ptr<SiteTables>> open_file_tables(const FileTablesPaths &paths,
                                                     bool same_kernel);

Result<std::unique_ptr<SiteTables>> open_elf_tables(const std::string &file, const ObjectPaths &elf,
                                                    FileParts parts);

// The tables of a release are installed in one of these, in a folder of its name. The module looks
// at the same places.
inline constexpr const char *kFirmwareFolders[] = {"/lib/firmware/updates/btf_extra",
                                                   "/lib/firmware/btf_extra"};

// The choice of a user.
struct TablesChoice {
    std::string file;  // of vmlinux; empty: the running kernel's, from the module or installed
    ObjectPaths elf;   // what the file was made for; empty: the running kernel
    FileParts parts = FileParts::kAll;  // that are read
    bool no_module = false;             // btf_extra.ko is not asked, even if it is loaded
};
Result<std::unique_ptr<SiteTables>> open_tables(const TablesChoice &choice);

}  // namespace btf_extra

#endif
