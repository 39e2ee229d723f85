#include "tasks/sas_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace bugsieve {

namespace {

constexpr std::int64_t kLargestCost = (1 << 30) - 1;
constexpr std::int64_t kLargestDomain = 65535;

std::string quoted(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::string shown;
    for (char c : text.substr(0, kShown)) shown += (c >= 32 && c < 127) ? c : '?';
    return "'" + shown + (text.size() > kShown ? "…'" : "'");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80   ? 1
                                   : lead < 0xc2 ? 0
                                   : lead < 0xe0 ? 2
                                   : lead < 0xf0 ? 3
                                   : lead < 0xf5 ? 4
                                                 : 0;
        if (length == 0 || i + length > text.size()) return false;
        std::uint32_t code = lead & (length == 1 ? 0x7fu : 0xffu >> (length + 1));
        for (std::size_t k = 1; k < length; ++k) {
            const auto byte = static_cast<unsigned char>(text[i + k]);
            if ((byte & 0xc0) != 0x80) return false;
            code = (code << 6) | (byte & 0x3fu);
        }
        const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
        if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
        i += length;
    }
    return true;
}

// Walks over the lines of a text; every complaint carries the number of the current line.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text), text_size_(text.size()) {}

    std::string_view next(std::string_view expected) {
        ++number_;
        if (rest_.empty())
            fail("the file ends here, but " + std::string(expected) + " should follow");
        const auto end = rest_.find('\n');
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    std::string name(std::string_view expected) {
        const auto line = next(expected);
        if (!is_utf8(line) || std::any_of(line.begin(), line.end(), is_control))
            fail("expected " + std::string(expected) + " in printable UTF-8");
        return std::string(line);
    }
    void keyword(std::string_view word) {
        const auto line = next(quoted(word));
        if (trim(line) != word) fail("expected " + quoted(word) + ", found " + quoted(line));
    }
    std::vector<std::int64_t> numbers(std::string_view expected) {
        const auto line = next(expected);
        std::vector<std::int64_t> found;
        const char* at = line.data();
        const char* const end = line.data() + line.size();
        while (true) {
            while (at != end && *at == ' ') ++at;
            if (at == end) return found;
            std::int64_t number = 0;
            const auto [stop, error] = std::from_chars(at, end, number);
            if (error != std::errc() || (stop != end && *stop != ' '))
                fail("expected " + std::string(expected) + ", found " + quoted(line));
            found.push_back(number);
            at = stop;
        }
    }
    std::int64_t number(std::string_view expected, std::int64_t low, std::int64_t high) {
        const auto found = numbers(expected);
        if (found.size() != 1) fail("expected " + std::string(expected) + " alone on the line");
        return checked(found[0], expected, low, high);
    }
    // A count can never exceed the bytes that are left: each item takes a line.
    std::size_t count(std::string_view expected) {
        return static_cast<std::size_t>(
            number(expected, 0, static_cast<std::int64_t>(text_size_)));
    }
    std::int64_t checked(std::int64_t n, std::string_view what, std::int64_t low,
                         std::int64_t high) const {
        if (n < low || n > high)
            fail(std::string(what) + " must be between " + std::to_string(low) + " and " +
                 std::to_string(high) + ", found " + std::to_string(n));
        return n;
    }
    bool at_end() const { return trim(rest_).empty(); }
    [[noreturn]] void fail(const std::string& what) const {
        throw SasError(std::max<std::size_t>(number_, 1), what);
    }

  private:
    static std::string_view trim(std::string_view line) {
        constexpr std::string_view kBlank = " \t\r\n";
        const auto first = line.find_first_not_of(kBlank);
        if (first == std::string_view::npos) return {};
        return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
    }

    std::string_view rest_;
    std::size_t text_size_;
    std::size_t number_ = 0;
};

class Reader {
  public:
    Reader(std::string_view text, Interrupts& interrupts)
        : lines_(text), interrupts_(interrupts) {}

    FdrTask read() {
        read_header();
        read_variables();
        read_mutex_groups();
        read_initial_state();
        lines_.keyword("begin_goal");
        task_.goal = read_facts("the number of goal facts");
        check_one_value_a_variable(task_.goal, "the goal");
        lines_.keyword("end_goal");
        task_.conditions.close();  // list 0: the empty condition
        read_operators();
        read_axioms();
        return std::move(task_);
    }

  private:
    void read_header() {
        lines_.keyword("begin_version");
        if (lines_.number("the version", 0, 1000) != 3)
            lines_.fail("only version 3 of the format is supported");
        lines_.keyword("end_version");
        lines_.keyword("begin_metric");
        task_.uses_costs = lines_.number("the metric flag", 0, 1) == 1;
        lines_.keyword("end_metric");
    }

    void read_variables() {
        const auto count = lines_.count("the number of variables");
        for (std::size_t i = 0; i < count; ++i) {
            lines_.keyword("begin_variable");
            task_.variable_names.push_back(lines_.name("a variable name"));
            const auto layer = lines_.number("the axiom layer", -1, 1'000'000'000);
            const auto size = lines_.number("the number of values", 1, 1'000'000'000);
            if (size > kLargestDomain)
                throw UnsupportedSasError("variables with more than 65535 values",
                                          task_.variable_names.back());
            task_.domain_sizes.push_back(static_cast<std::int32_t>(size));
            auto& names = task_.fact_names.emplace_back();
            for (std::int64_t k = 0; k < size; ++k) names.push_back(lines_.name("a value name"));
            if (layer != -1) throw UnsupportedSasError("axioms", names.front());
            lines_.keyword("end_variable");
        }
    }

    void read_mutex_groups() {
        const auto count = lines_.count("the number of mutex groups");
        for (std::size_t i = 0; i < count; ++i) {
            lines_.keyword("begin_mutex_group");
            task_.mutex_groups.push_back(read_facts("the number of facts of the mutex group"));
            lines_.keyword("end_mutex_group");
        }
    }

    void read_initial_state() {
        lines_.keyword("begin_state");
        for (std::size_t v = 0; v < task_.num_variables(); ++v)
            task_.initial_state.push_back(static_cast<Value>(
                lines_.number("an initial value", 0, task_.domain_size(v) - 1)));
        lines_.keyword("end_state");
    }

    Fact fact(std::int64_t variable, std::int64_t value) {
        lines_.checked(variable, "a variable", 0,
                       static_cast<std::int64_t>(task_.num_variables()) - 1);
        lines_.checked(value, "a value", 0,
                       task_.domain_size(static_cast<std::size_t>(variable)) - 1);
        return {static_cast<std::int32_t>(variable), static_cast<std::int32_t>(value)};
    }

    std::vector<Fact> read_facts(std::string_view counted) {
        std::vector<Fact> facts;
        const auto count = lines_.count(counted);
        for (std::size_t i = 0; i < count; ++i) {
            const auto pair = lines_.numbers("a variable and a value");
            if (pair.size() != 2) lines_.fail("expected a variable and a value");
            facts.push_back(fact(pair[0], pair[1]));
        }
        return facts;
    }

    // Sorts, drops repetitions and refuses two values for one variable.
    void check_one_value_a_variable(std::vector<Fact>& facts, const std::string& where) {
        std::sort(facts.begin(), facts.end());
        facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
        for (std::size_t i = 1; i < facts.size(); ++i)
            if (facts[i].variable == facts[i - 1].variable)
                lines_.fail(where + " requires two values of variable " +
                            std::to_string(facts[i].variable));
    }

    void read_operators() {
        const auto count = lines_.count("the number of operators");
        for (std::size_t i = 0; i < count; ++i) read_operator();
    }

    void read_operator() {
        interrupts_.check();
        lines_.keyword("begin_operator");
        task_.operator_names.push_back(lines_.name("an operator name"));
        std::vector<Fact> preconditions = read_facts("the number of prevail conditions");
        const auto effects = lines_.count("the number of effects");
        for (std::size_t i = 0; i < effects; ++i) read_effect(preconditions);
        check_one_value_a_variable(preconditions,
                                   "operator " + quoted(task_.operator_names.back()));
        const auto cost = lines_.number("the operator's cost", 0, kLargestCost);
        task_.written_costs.push_back(static_cast<std::int32_t>(cost));
        task_.costs.push_back(task_.uses_costs ? static_cast<std::int32_t>(cost) : 1);
        append(task_.preconditions, preconditions);
        task_.effects.close();
        lines_.keyword("end_operator");
    }

    void read_effect(std::vector<Fact>& preconditions) {
        const auto parts = lines_.numbers("an effect");
        const auto conditions = parts.empty() ? -1 : parts[0];
        if (conditions < 0 || conditions > static_cast<std::int64_t>(parts.size()) ||
            static_cast<std::int64_t>(parts.size()) != 2 * conditions + 4)
            lines_.fail(
                "expected an effect: the number of conditions, a variable and a value "
                "for each, then variable, old value and new value");
        std::vector<Fact> condition;
        for (std::size_t k = 0; k < static_cast<std::size_t>(conditions); ++k)
            condition.push_back(fact(parts[2 * k + 1], parts[2 * k + 2]));
        const std::size_t tail = parts.size() - 3;
        const Fact after = fact(parts[tail], parts[tail + 2]);
        if (parts[tail + 1] != -1) preconditions.push_back(fact(parts[tail], parts[tail + 1]));
        task_.effects.items.push_back({add_condition(condition), after});
    }

    std::int32_t add_condition(std::vector<Fact>& condition) {
        if (condition.empty()) return 0;
        check_one_value_a_variable(condition, "an effect's condition");
        task_.has_conditional_effects = true;
        append(task_.conditions, condition);
        return static_cast<std::int32_t>(task_.conditions.size()) - 1;
    }

    void read_axioms() {
        if (lines_.count("the number of axioms") > 0)
            throw UnsupportedSasError("axioms", "the SAS file");
        if (!lines_.at_end()) {
            lines_.next("the end of the file");
            lines_.fail("the task is complete, but the file goes on");
        }
    }

    static void append(Lists<Fact>& lists, const std::vector<Fact>& facts) {
        lists.items.insert(lists.items.end(), facts.begin(), facts.end());
        lists.close();
    }

    Lines lines_;
    Interrupts& interrupts_;
    FdrTask task_;
};

class Writer {
  public:
    explicit Writer(const FdrTask& task) : task_(task) {}

    std::string write(StateView initial_state) {
        line("begin_version\n3\nend_version\nbegin_metric");
        line(task_.uses_costs ? "1" : "0");
        line("end_metric");
        write_variables();
        line(std::to_string(task_.mutex_groups.size()));
        for (const auto& group : task_.mutex_groups) {
            line("begin_mutex_group");
            facts(group);
            line("end_mutex_group");
        }
        line("begin_state");
        for (const Value value : initial_state) line(std::to_string(value));
        line("end_state\nbegin_goal");
        facts(task_.goal);
        line("end_goal");
        line(std::to_string(task_.num_operators()));
        for (std::size_t op = 0; op < task_.num_operators(); ++op) write_operator(op);
        line("0");
        return std::move(text_);
    }

  private:
    void line(std::string_view content) {
        text_ += content;
        text_ += '\n';
    }
    void fact(const Fact& f) {
        text_ += std::to_string(f.variable) + " " + std::to_string(f.value);
    }
    void facts(std::span<const Fact> all) {
        line(std::to_string(all.size()));
        for (const Fact& f : all) {
            fact(f);
            text_ += '\n';
        }
    }

    void write_variables() {
        line(std::to_string(task_.num_variables()));
        for (std::size_t v = 0; v < task_.num_variables(); ++v) {
            line("begin_variable");
            line(task_.variable_names[v]);
            line("-1");
            line(std::to_string(task_.domain_size(v)));
            for (const auto& name : task_.fact_names[v]) line(name);
            line("end_variable");
        }
    }

    void write_operator(std::size_t op) {
        std::vector<std::int32_t> affected;
        for (const Effect& effect : task_.effects[op]) affected.push_back(effect.fact.variable);
        std::sort(affected.begin(), affected.end());
        std::vector<Fact> prevail;
        for (const Fact& f : task_.preconditions[op])
            if (!std::binary_search(affected.begin(), affected.end(), f.variable))
                prevail.push_back(f);
        line("begin_operator");
        line(task_.operator_names[op]);
        facts(prevail);
        line(std::to_string(task_.effects[op].size()));
        for (const Effect& effect : task_.effects[op]) write_effect(op, effect);
        line(std::to_string(task_.written_costs[op]));
        line("end_operator");
    }

    void write_effect(std::size_t op, const Effect& effect) {
        const auto condition = task_.conditions[static_cast<std::size_t>(effect.conditions)];
        text_ += std::to_string(condition.size()) + " ";
        for (const Fact& f : condition) {
            fact(f);
            text_ += ' ';
        }
        std::int32_t before = -1;
        for (const Fact& f : task_.preconditions[op])
            if (f.variable == effect.fact.variable) before = f.value;
        line(std::to_string(effect.fact.variable) + " " + std::to_string(before) + " " +
             std::to_string(effect.fact.value));
    }

    const FdrTask& task_;
    std::string text_;
};

}  // namespace

FdrTask read_sas(std::string_view text, Interrupts& interrupts) {
    return Reader(text, interrupts).read();
}

std::string write_sas(const FdrTask& task, StateView initial_state) {
    return Writer(task).write(initial_state);
}

}  // namespace bugsieve
