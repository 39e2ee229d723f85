#!/usr/bin/env bash
# Installs a wheel and a source archive, each into an empty environment of its own, and runs the
# doctor and the demo there, far from the sources. Called by `make wheel`.
set -euo pipefail
python=${PYTHON:-python3}
pytest=$(grep '^pytest' requirements/develop.txt)

demo() {
    "$1/bin/bugsieve" doctor
    "$1/bin/bugsieve" generate blocksworld --blocks 8 --seed 2 -o demo
    "$1/bin/bugsieve" test demo --policy asnets:blocksworld -o results || test $? -eq 1
    "$1/bin/bugsieve" explain results "$(ls results/bugs | head -n 1 | cut -d. -f1)" >/dev/null
}

for file in "$@"; do
    place=$PWD/build/packages/$([[ $file == *.whl ]] && echo wheel || echo sdist)
    echo "Trying $file in $place ..."
    rm -rf "$place"
    "$python" -m venv "$place"
    "$place/bin/python" -m pip -qq --disable-pip-version-check install "$file"
    mkdir "$place/work"
    (cd "$place/work" && demo "$place")
    # tests/system/test_wheel.py goes on here.
    "$place/bin/python" -m pip -qq --disable-pip-version-check install $pytest
done
