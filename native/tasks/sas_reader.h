// Reads and writes the output format of Fast Downward's translator (version 3).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "basis/budget.h"
#include "tasks/fdr_task.h"

namespace bugsieve {

// The text breaks the format at `line` (counted from 1).
struct SasError : std::runtime_error {
    SasError(std::size_t line, const std::string& what) : std::runtime_error(what), line(line) {}
    std::size_t line;
};

// The text is well-formed but uses a feature we do not handle.
struct UnsupportedSasError : std::runtime_error {
    UnsupportedSasError(std::string feature, std::string user)
        : std::runtime_error(feature), feature(std::move(feature)), user(std::move(user)) {}
    std::string feature;
    std::string user;
};

FdrTask read_sas(std::string_view text, Interrupts& interrupts);
std::string write_sas(const FdrTask& task, StateView initial_state);

}  // namespace bugsieve
