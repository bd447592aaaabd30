#!/usr/bin/env bash
# Builds the wheel in target/wheels. Needs cargo, and python3 with venv and pip. Prints the size.
set -euo pipefail
cd "$(dirname "$0")"

maturin=$(sed -n 's/^requires = \["\(.*\)"\]$/\1/p' pyproject.toml)
python3 -m venv target/tools
target/tools/bin/python -m pip install --quiet "$maturin"
cp ../../LICENSE* .
rm -f target/wheels/scramble444-*.whl
target/tools/bin/maturin build --release --locked --out target/wheels

wc -c target/wheels/scramble444-*.whl
