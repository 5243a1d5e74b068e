// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/flow_reader.h"

namespace btf_extra::generator {
namespace {

class FileCode : public FlowCode {
  public:
    FileCode(const DebugFile &file, const FlowTables &tables, Instructions &instructions,
             std::span<const CodeRange> ranges)
        : file_(file), tables_(tables), instructions_(instructions), ranges_(ranges) {}

    std::optional<FlowEdges> edges(uint64_t address) override {
        std::optional<FlowEdges> edges = instructions_.edges(code_at(file_, address));
        if (edges)
            tables_.add_edges(address, ranges_, instructions_, *edges);
        return edges;
    }
    std::optional<FlowChanges> changes(uint64_t address) override {
        if (tables_.has_alternative(address))
            return std::nullopt;
        if (tables_.key_at(address))
            return FlowChanges{};
        return instructions_.changes(code_at(file_, address));
    }
    bool entered(uint64_t address) override {
        return tables_.entered(address, ranges_, instructions_);
    }

  private:
    const DebugFile &file_;
    const FlowTables &tables_;
    Instructions &instructions_;
    std::span<const CodeRange> ranges_;
};

}  // namespace

FlowReader::FlowReader(const DebugFile &file, const FlowTables &tables)
    : file_(file), tables_(tables), instructions_(Instructions::of_file(file)) {}

std::unique_ptr<FlowCode> FlowReader::code(std::span<const CodeRange> ranges) {
    return std::make_unique<FileCode>(file_, tables_, *instructions_, ranges);
}

bool FlowReader::falls_to(uint64_t from, uint64_t to) {
    bool falls = false;
    for (uint64_t address = from; address < to;) {
        std::optional<FlowEdges> edges = instructions_->edges(code_at(file_, address));
        if (!edges || edges->size == 0)
            return true;
        tables_.add_edges(address, {}, *instructions_, *edges);
        falls = edges->falls;
        address += edges->size;
    }
    return falls;
}

BodyCode FlowReader::read(std::span<const CodeRange> ranges, uint64_t entry) {
    BodyCode body{.ranges = {ranges.begin(), ranges.end()}, .flow = {}};
    body.flow = BodyFlow::read(body.ranges, entry, *code(body.ranges));
    return body;
}

}  // namespace btf_extra::generator
