// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A .btf_extra file that was validated and indexed, with or without the BTF below it. It gives
// functions, their sites and what is known of each parameter.
#ifndef BTF_EXTRA_OBJECT_VIEW_H
#define BTF_EXTRA_OBJECT_VIEW_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/base_stack.h"
#include "userspace/format/btf_image.h"
#include "userspace/format/core_api.h"
#include "userspace/format/elf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/opened_blobs.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct Parameter {
    std::string_view name;  // empty: the prototype is missing, or the parameter has no name
    uint32_t type_id;       // 0: the prototype is missing
    const btf_type *loc;    // a LOC_PARAM; NULL: no location
    std::optional<MissingReason> reason;            // why there is no location, if that is known
    std::optional<loc_expression> expression = {};  // only without a location
};

class ObjectView {
  public:
    // Opens a file without a base. Types of the base are missing. The file must have provenance.
    static Result<std::unique_ptr<ObjectView>> open(const std::string &path);

    // Opens a file with the base BTF from a raw BTF file or from an ELF file's .BTF.
    static Result<std::unique_ptr<ObjectView>> open_with_base(const std::string &path,
                                                              const std::string &base_path);

    // Opens a file of a kernel, or of a module of that kernel, with their BTF as its base. The file
    // must have the architecture and the build-id of its object.
    static Result<std::unique_ptr<ObjectView>> open_for(const std::string &path,
                                                        const ElfImage &kernel,
                                                        const ElfImage *module = nullptr,
                                                        FileParts parts = FileParts::kAll);

    // Makes a view of the contents of a file, from any source. path is for messages. With
    // FileParts::kPlaces no function has a file, a unit or a variadic prototype, and none shares
    // its name.
    static Result<std::unique_ptr<ObjectView>> open_content(const std::string &path, ExtraFile file,
                                                            std::optional<BaseStack> base);

    ObjectView(const ObjectView &) = delete;
    ObjectView &operator=(const ObjectView &) = delete;

    const std::string &path() const { return path_; }
    const ExtraFile &file() const { return file_; }
    const BtfImage &locations() const { return *locations_; }
    const BtfImage &types() const { return *types_; }
    const BaseStack &base() const { return *base_; }
    const loc_index &index() const { return opened_->blobs().index; }
    const inline_frames &frames() const { return opened_->blobs().frames; }
    const LineTable *lines() const { return lines_ ? &*lines_ : nullptr; }  // NULL: there are none
    std::string build_id() const { return build_id_text(file_.build_id_note); }

    std::string_view func_name(uint32_t func_id) const;  // "(base)" if it is missing
    // Returns the names of index().funcs. The first call makes them; open_content() does so, except
    // with FileParts::kPlaces.
    std::span<const std::string_view> func_names() const;
    std::optional<std::string_view> func_file(uint32_t func_id) const;
    // Returns the units of a function that shares name and file with another, three by name.
    std::optional<std::string> func_unit(uint32_t func_id) const;
    // Returns all of them.
    std::vector<std::string> func_units(uint32_t func_id) const;

    // Returns true if "foo@path" means this function foo: path is its unit, its file, or the end of
    // one of them. If several functions of that name fit, a whole path goes before an end, and a
    // unit before a file.
    bool is_func_in(uint32_t func_id, const std::string &path) const;

    // Returns the text by which a user names this function, as short as it can be: "foo",
    // "foo@fs/bar.c" by its file or by its unit, or "#1234" if these are not unique.
    std::string func_label(uint32_t func_id) const;

    // Returns true if another function with sites has its name.
    bool shares_name(uint32_t func_id) const;

    // Returns true if the last of the parameters in its prototype and LOC_PROTOs is "...".
    bool is_variadic(uint32_t func_id) const;

    // Returns true if the function is not one of the source, but named after the symbol of one body
    // (foo.isra.0). The compiler has changed the signature of that body, and the prototype has the
    // remaining parameters. The same body is also a site of foo.
    bool is_true_signature(uint32_t func_id) const;
    // Returns such functions at the place of a body. site_number is its number in the index.
    std::vector<uint32_t> true_signatures(uint32_t site_number) const;

    // Returns the parameters of a site, given its number in the index, without the void that ends a
    // variadic prototype.
    std::vector<Parameter> parameters(uint32_t site_number) const;

    // Returns SITE_MARK_*, which are BTF_EXTRA_SITE_* too. If the file does not know at which sites
    // a probe is hit more than once a call (file().site_marks), no site has these marks.
    uint32_t site_marks(uint32_t site_number) const;

    // Returns true if no default attach takes a site, whatever its marks are. The file records this
    // for the code from which it was made, which a running kernel patches. Without knows_left_out()
    // it is false for every site.
    bool knows_left_out() const { return file_.provenance && file_.provenance->left_out_sites; }
    bool is_left_out(uint32_t site_number) const;

    // Counts the parameters of a site, those that have a location, and those that have an
    // expression instead. variadic: is_variadic() of its function.
    struct Located {
        uint32_t params;
        uint32_t located;
        uint32_t computed;
    };
    Located count_located(uint32_t loc_proto, bool variadic) const;
    // The entries of all expressions, in their order, and those of one LOC_PROTO.
    std::span<const loc_expression_entry> expressions() const;
    std::span<const loc_expression_entry> expressions_of(uint32_t loc_proto) const;

  private:
    ObjectView() = default;
    void rank_funcs();
    Result<void> check_provenance();
    std::vector<uint32_t> count_missing() const;
    void note_tags();
    void note_shared_names();
    Error error(std::string_view section, std::string_view reason) const;
    static constexpr uint32_t kNoRank = UINT32_MAX;
    std::optional<size_t> func_rank(uint32_t func_id) const;
    std::optional<std::string_view> tag_text(uint32_t tag_id, std::string_view prefix) const;
    enum class PathFit { kUnit, kFile, kEndOfUnit, kEndOfFile, kNone };
    PathFit path_fit(uint32_t func_id, const std::string &path) const;
    std::span<const uint32_t> funcs_named(std::string_view name) const;
    std::vector<uint32_t> funcs_in(std::string_view name, const std::string &path) const;

    std::string path_;
    ExtraFile file_;
    std::optional<BaseStack> base_;
    std::unique_ptr<OpenedBlobs> opened_;
    std::unique_ptr<BtfImage> types_;
    std::unique_ptr<BtfImage> locations_;
    std::optional<LineTable> lines_;

    std::vector<uint32_t> funcs_;    // those with sites, in ascending order of id
    std::vector<uint32_t> ranks_;    // in funcs_, by id from the first on; kNoRank: no sites
    std::vector<bool> variadic_;     // by rank in funcs_
    std::vector<bool> shares_name_;  // likewise
    mutable std::vector<std::string_view> names_;
    std::vector<uint32_t> file_tags_;      // DECL_TAG "file:...", or 0, by rank in funcs_
    std::vector<uint32_t> unit_tags_;      // DECL_TAG "unit:..." likewise
    std::vector<uint32_t> first_reasons_;  // by site number; empty: there is no provenance
};

}  // namespace btf_extra

#endif
