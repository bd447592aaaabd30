#!/usr/bin/env bash
# Builds the wheel, installs it in an empty environment, and runs the tests and the examples of README there.
# Needs cargo, and python3 with venv and pip. Solutions are compared with those of the program that the variable
# SCRAMBLE444 names, or of target/release/scramble444.
set -euo pipefail
cd "$(dirname "$0")"

if ! python3 -c "import venv, ensurepip" 2>/dev/null; then
    echo "the tests are left out, as there is no python3 with venv (on Debian, python3-venv)"
    exit
fi
./build.sh
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
python3 -m venv "$venv"
# The wheel needs no packages.
"$venv/bin/python" -m pip install --quiet --no-index target/wheels/scramble444-*.whl
"$venv/bin/python" -m pip install --quiet mypy pytest
"$venv/bin/python" -m pip install --quiet discord.py || echo "the bot is left out, as discord.py cannot be installed"
"$venv/bin/python" -m pip install --quiet ipython || echo "the notebook is left out, as ipython cannot be installed"
"$venv/bin/python" -m pytest -p no:cacheprovider -rs tests
# Programs are checked against the types of the package.
"$venv/bin/python" -m mypy --strict --cache-dir /dev/null tests/typed.py
