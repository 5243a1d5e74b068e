// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Made-up debug information of one unit, with types only. A fixture maps the types to a base and
// reads back what is written.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/base_btf.h"
#include "userspace/generator/types/type_map.h"
#include "userspace/generator/write/btf_writer.h"

namespace btf_extra::test {

using namespace generator;

// Debug information of one unit. Every function returns the reference of the new type.
class Source : public TypeSource {
  public:
    explicit Source(TypeRef first = 0x100) : next_(first) {}

    SourceType describe(TypeRef ref, bool details) override {
        SourceType type = types_.at(ref);
        if (!details) {  // as the real source does
            type.members.clear();
            type.enumerators.clear();
            type.params.clear();
        }
        return type;
    }

    TypeRef add(SourceType type) {
        const TypeRef ref = next_;
        next_ += 0x10;
        types_[ref] = std::move(type);
        return ref;
    }
    SourceType &at(TypeRef ref) { return types_.at(ref); }

    TypeRef integer(std::string_view name, uint64_t size, bool is_signed = true) {
        return add(sized(TypeKind::kInt, name, size, is_signed));
    }
    TypeRef modified(TypeKind kind, TypeRef target) {
        SourceType type = sized(kind, "", 0);
        type.target = target;
        return add(type);
    }
    TypeRef pointer(TypeRef to) { return modified(TypeKind::kPtr, to); }
    TypeRef tagged_pointer(TypeRef to, std::vector<std::string_view> tags) {
        const TypeRef ref = pointer(to);
        at(ref).type_tags = std::move(tags);
        return ref;
    }
    TypeRef alias(std::string_view name, TypeRef of) {
        const TypeRef ref = modified(TypeKind::kTypedef, of);
        at(ref).name = name;
        return ref;
    }
    TypeRef array(TypeRef of, uint64_t elements) {
        const TypeRef ref = modified(TypeKind::kArray, of);
        at(ref).elements = elements;
        return ref;
    }
    TypeRef structure(std::string_view name, uint64_t size,
                      std::vector<SourceMember> members = {}) {
        return aggregate(TypeKind::kStruct, name, size, std::move(members));
    }
    TypeRef union_of(std::string_view name, uint64_t size, std::vector<SourceMember> members = {}) {
        return aggregate(TypeKind::kUnion, name, size, std::move(members));
    }
    TypeRef declaration(std::string_view name, TypeKind kind = TypeKind::kStruct) {
        const TypeRef ref = aggregate(kind, name, 0, {});
        at(ref).declaration = true;
        return ref;
    }
    TypeRef enumeration(std::string_view name, std::vector<SourceEnumerator> enumerators,
                        uint64_t size = 4, bool is_signed = false) {
        SourceType type = sized(TypeKind::kEnum, name, size, is_signed);
        type.enumerators = std::move(enumerators);
        return add(type);
    }
    TypeRef prototype(TypeRef result, std::vector<SourceParam> params = {}, bool variadic = false) {
        const TypeRef ref = modified(TypeKind::kFuncProto, result);
        at(ref).params = std::move(params);
        at(ref).variadic = variadic;
        return ref;
    }

    static SourceType sized(TypeKind kind, std::string_view name, uint64_t size,
                            bool is_signed = false) {
        SourceType type;
        type.kind = kind;
        type.name = name;
        type.size = size;
        type.is_signed = is_signed;
        return type;
    }

  private:
    TypeRef aggregate(TypeKind kind, std::string_view name, uint64_t size,
                      std::vector<SourceMember> members) {
        SourceType type = sized(kind, name, size);
        type.members = std::move(members);
        return add(type);
    }

    TypeRef next_;
    std::map<TypeRef, SourceType> types_;
};

constexpr TypeId kNew = UINT32_MAX;  // the test expects any new type

class TypeMapTest : public testing::Test {
  protected:
    BaseBtf base;
    Source source;
    NewTypes new_types;

    // The base must be complete before this is called.
    TypeId map(TypeRef ref) {
        if (!map_) {
            image_ = base.image();
            types_ = std::make_unique<BaseTypes>(&image_->blob());
            map_ = std::make_unique<TypeMap>(*types_, new_types, source);
        }
        const TypeId id = map_->map(ref);
        return id & kNewType ? kNew : id;
    }
    // Maps a type of another unit.
    TypeId map(TypeRef ref, Source &other) { return TypeMap(*types_, new_types, other).map(ref); }

    // The text that is written for a function that returns the type.
    struct Written {
        BtfHandle btf;
        uint32_t id = 0;  // id of the type
    };
    Written write(TypeRef ref) {
        map(ref);
        SourceFunction function;
        function.name = "f";
        function.return_type = map_->map(ref);
        MergedUnits merged;
        merged.functions.push_back({.source = &function});
        const WrittenBlobs blobs = write_blobs(
            write_types(merged.functions, {}, *types_, new_types), merged, {}, *types_, {}, 1);
        Written written{.btf = split_btf(blobs.types, base)};
        if (!written.btf)
            return written;
        const int func = btf__find_by_name_kind(written.btf.get(), "f", BTF_KIND_FUNC);
        EXPECT_GT(func, 0);
        const btf_type *type = btf__type_by_id(written.btf.get(), static_cast<uint32_t>(func));
        written.id = btf__type_by_id(written.btf.get(), type->type)->type;
        return written;
    }
    std::string as_c(TypeRef ref) {
        const Written written = write(ref);
        return written.btf ? c_definition(written.btf.get(), written.id) : "libbpf refuses it";
    }

  private:
    std::unique_ptr<BtfImage> image_;
    std::unique_ptr<BaseTypes> types_;
    std::unique_ptr<TypeMap> map_;
};

}  // namespace btf_extra::test
