#!/usr/bin/env bash
# The release of this commit does not depend on where it is made, and the service in it works.
#
# Runs deploy/release.sh in two clones at different paths, of which one has a CARGO_HOME of its own, and
# compares all checksums. Unpacks the archives, runs both programs, and starts the service as the systemd unit does.
# Needs what deploy/release.sh needs, and ten minutes of two cores; the program for aarch64 is run where
# qemu-aarch64-static is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
service=
trap '[[ -z $service ]] || kill "$service"; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

cargo_home=${CARGO_HOME:-$HOME/.cargo}
mkdir -p "$work/cargo" "$work/some/longer path"
[[ ! -e $cargo_home/config.toml ]] || cp "$cargo_home/config.toml" "$work/cargo/"
one=$work/one other="$work/some/longer path/scramble"
git clone --quiet . "$one"
git clone --quiet . "$other"
"$one/deploy/release.sh"
CARGO_HOME=$work/cargo PATH=$cargo_home/bin:$PATH "$other/deploy/release.sh"
diff "$one/target/dist/SHA256SUMS" "$other/target/dist/SHA256SUMS" || fail "the releases differ"
(cd "$one/target/dist" && sha256sum --check --quiet SHA256SUMS)

for archive in "$one"/target/dist/*-musl.tar.gz; do
    tar -xzf "$archive" -C "$work"
done
cd "$work"/scramble444-*-x86_64-unknown-linux-musl
find . -name '*.md' | while read -r document; do
    while read -r link; do
        [[ -e $(dirname "$document")/$link ]] || fail "$document links to $link, which is not in the archive"
    done < <(grep -oP '\]\(\K[^):#]+(?=[)#])' "$document")
done
tests/audit.py --program ./scramble444 || fail "tests/audit.py of the archive"
version=$(./scramble444 --version)
if command -v qemu-aarch64-static >/dev/null; then
    [[ $(qemu-aarch64-static ../scramble444-*-aarch64-unknown-linux-musl/scramble444 --version) == "$version" ]] ||
        fail "the program for aarch64"
fi

address=127.0.0.1:$((20000 + RANDOM % 10000))
read -ra arguments < <(sed -n 's|^ExecStart=/usr/local/bin/scramble444 ||p' deploy/systemd/scramble444.service)
mapfile -t environment < <(sed -n "s|%S|$work|; s|^Environment=||p" deploy/systemd/scramble444.service)
environment+=("SCRAMBLE444_LISTEN=$address")
env -i "${environment[@]}" ./scramble444 "${arguments[@]}" &
service=$!
for _ in $(seq 120); do
    ./scramble444 healthcheck --listen "$address" 2>/dev/null && break
    sleep 1
done
python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())' \
    "http://$address/v1/scrambles?count=1" | grep '"scramble":"' || fail "the service of the archive"
[[ -e $work/scramble444/.lock ]] || fail "the tables are not where the unit has them"
kill "$service"
wait "$service" || fail "the service ends with $?"
service=
echo "ok: $version"
