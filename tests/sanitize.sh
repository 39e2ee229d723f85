#!/usr/bin/env bash
# Builds the native core with AddressSanitizer and UndefinedBehaviorSanitizer and runs the tests
# that drive it. Called by `make sanitize`.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}
python=$PWD/$venv/bin/python
build=$PWD/build/sanitize

"$venv/bin/cmake" -S . -B "$build/cmake" -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/$venv/bin/ninja" \
    -DPython_EXECUTABLE="$python" -DBUGSIEVE_SANITIZE=ON >/dev/null
"$venv/bin/cmake" --build "$build/cmake"
rm -rf "$build/site"
mkdir -p "$build/site"
cp -r src/bugsieve "$build/site/"
rm -f "$build/site/bugsieve/"_native*.so
"$venv/bin/cmake" --install "$build/cmake" --prefix "$build/site" >/dev/null

# Python itself leaks by design, and only the preloaded runtime sees the first allocations.
export LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)"
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1
export UBSAN_OPTIONS=print_stacktrace=1
export PYTHONPATH=$build/site
# All examples take several times as long here, and code that touches memory it must not mostly
# does so in the first of them; SANITIZE_DEPTH=deep draws them all the same.
export BUGSIEVE_DEPTH=${SANITIZE_DEPTH:-quick}
"$python" -c 'from bugsieve import _native; assert _native.SANITIZED, _native.__file__'
# Children, such as the translator, run without the sanitizer: it needs more address space than
# they are allowed; so a test whose child is Bugsieve itself is left out.
checked() {
    "$python" -c 'import os, sys, pytest; del os.environ["LD_PRELOAD"]; sys.exit(pytest.main(sys.argv[1:]))' \
        -p no:cacheprovider "$@"
}
# tests/unit/native/test_threads.py calls everything that the core has; the rest
# takes it through the inputs of others, good and bad. Two halves, one for each of two cores.
checked tests/property tests/unit/native tests/unit/search tests/unit/tasks "$@" >"$build/first.log" 2>&1 &
first=$!
status=0
checked tests/unit/dominance tests/unit/fuzzing tests/unit/oracles tests/unit/policies \
    tests/hostile/test_asnet_files.py tests/hostile/test_graph_network_files.py \
    tests/hostile/test_jani_files.py tests/hostile/test_network_files.py \
    tests/hostile/test_sas_fuzz.py tests/hostile/test_tree_files.py \
    --deselect tests/unit/fuzzing/test_selection.py::test_it_is_an_option_of_fuzzers_in_experiments \
    --deselect tests/unit/oracles/test_fast_downward.py::test_nothing_outlives_the_caller \
    --deselect tests/unit/oracles/test_morph.py::test_batches_and_workers_do_not_matter \
    --deselect tests/unit/policies/gnn/test_policy.py::test_campaigns_of_it_do_not_depend_on_workers \
    --deselect tests/unit/policies/test_distributions.py::test_a_campaign_with_workers_finds_the_same \
    --deselect tests/unit/policies/test_set_order.py "$@" || status=$?
wait "$first" || status=$?
cat "$build/first.log"
exit "$status"
