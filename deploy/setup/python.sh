#!/bin/sh
# Prints a Python that can make the project's virtual environments: 3.10 or newer, with venv and pip.
# PYTHON, where set, is the only one looked at. Otherwise a version that every supported Spark knows wins over a
# newer one. Exit code 1, with what to install on stderr, when there is none.
set -eu
. "$(dirname "$0")/packages.sh"

NAMES=${PYTHON:-"python3 python3.12 python3.11 python3.13 python3.10 python3.14"}

# is_between PYTHON LOWEST HIGHEST: whether the minor version of a Python 3 lies there.
is_between() {
    "$1" -c "import sys; sys.exit(not (3, $2) <= sys.version_info[:2] <= (3, $3))" >/dev/null 2>&1
}

find_python() {
    for highest in 13 99; do
        for name in $NAMES; do
            if is_between "$name" 10 "$highest"; then
                command -v "$name"
                return 0
            fi
        done
    done
    return 1
}

has_venv() {
    "$1" -c "import venv, ensurepip" >/dev/null 2>&1
}

if ! python=$(find_python); then
    echo "headwater needs Python 3.10 or newer${PYTHON:+, and PYTHON=$PYTHON is none}. Install it:" >&2
    echo "    $(install_hint 'python3 python3-venv' python@3.12)" >&2
    exit 1
fi
if ! has_venv "$python"; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$python cannot make virtual environments; installing python$version-venv" >&2
    install_first_of "python$version-venv" python3-venv || true
    if ! has_venv "$python"; then
        echo "$python has no venv. Install it:" >&2
        echo "    $(install_hint "python$version-venv" "python@$version")" >&2
        exit 1
    fi
fi
echo "$python"
