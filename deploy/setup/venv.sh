#!/bin/sh
# venv.sh FOLDER REQUIREMENTS: makes the virtual environment where it is missing or broken, installs exactly the
# locked packages, and the project itself as it lies here. Run from the project's root.
set -eu
folder=$1
requirements=$2

if ! "$folder/bin/python" -c "import pip" >/dev/null 2>&1; then
    python=$(sh "$(dirname "$0")/python.sh")
    echo "making $folder with $("$python" --version)"
    "$python" -m venv --clear "$folder"
fi

pip() {
    "$folder/bin/python" -m pip --disable-pip-version-check --no-input "$@"
}

echo "installing $requirements into $folder"
pip install --quiet --use-pep517 --require-hashes -r "$requirements"
# Hatchling is among the locked packages, so nothing unlocked is fetched for the build either.
pip install --quiet --no-build-isolation --no-deps --editable .
