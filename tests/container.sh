#!/usr/bin/env bash
# Builds the image of the Dockerfile without a Docker engine, and runs it hardened: as a user who is
# not root, on a read-only file system, without capabilities.
#
#     tests/container.sh [DIRECTORY]
#
# Keeps images and layers in the folder scramble444-container of DIRECTORY if given, which makes the next run faster;
# touches nothing else there. Does not pull base images: the build image is made from Debian packages and this machine's
# Rust. Needs root, 15 GB of disk space, several minutes, and Debian's buildah, podman, runc, catatonit and debootstrap.
# Missing packages are installed; if that is impossible, the test is skipped with a message. With kubectl, it also starts
# the pod of deploy/kubernetes.
set -euo pipefail
keep=${1:+$(realpath -m "$1")/scramble444-container}
cd "$(dirname "$0")/.."

skip() { echo "skipped: $*"; exit 0; }
say() { printf '== %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

[[ $(id -u) == 0 ]] || skip "needs root"
missing=()
for tool in buildah podman runc catatonit debootstrap; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
    command -v apt-get >/dev/null || skip "needs ${missing[*]}"
    { apt-get -qq update &&
        apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null; } ||
        skip "cannot install ${missing[*]}"
fi
command -v rustc >/dev/null || skip "needs rustc"

work=${keep:-$(mktemp -d /var/tmp/scramble444-container.XXXXXX)}
mkdir -p "$work"
port=$((20000 + RANDOM % 20000))
name=scramble444-test-$port
storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)

buildah_() { buildah "${storage[@]}" "$@"; }
# Without systemd podman cannot schedule health checks, and warns about that each time.
podman_() {
    podman "${storage[@]}" --runtime runc --cgroup-manager cgroupfs "$@" 2>>"$work/podman.log"
}
finish() {
    podman_ rm -f -t 1 "$name" >/dev/null || true
    [[ $keep ]] || rm -rf "$work"
}
trap finish EXIT
trap 'echo "FAILED at line $LINENO; see $work/podman.log" >&2' ERR
: >"$work/podman.log"

# Debian with a C compiler for linking, this machine's Rust, and its cargo registry cache.
make_build_image() {
    local tree sysroot container
    tree=$(mktemp -d "$work/tree.XXXXXX")
    chmod 755 "$tree"
    sysroot=$(rustc --print sysroot)
    debootstrap --variant=minbase --include=ca-certificates,gcc,libc6-dev bookworm "$tree" \
        >"$work/debootstrap.log" || { tail "$work/debootstrap.log"; fail "debootstrap"; }
    rm -rf "$tree"/var/cache/apt "$tree"/var/lib/apt/lists
    mkdir -p "$tree/root/.cargo"
    cp "$sysroot"/bin/{cargo,rustc} "$tree/usr/local/bin/"
    cp -a "$sysroot/lib/." "$tree/usr/local/lib/"
    cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
    for part in registry config.toml; do
        [[ ! -e ${CARGO_HOME:-$HOME/.cargo}/$part ]] ||
            cp -a "${CARGO_HOME:-$HOME/.cargo}/$part" "$tree/root/.cargo/"
    done
    container=$(buildah_ from scratch)
    buildah_ add -q "$container" "$tree" / >/dev/null
    buildah_ config --env PATH=/usr/local/bin:/usr/bin:/bin --env CARGO_HOME=/root/.cargo \
        "$container"
    buildah_ commit -q --rm "$container" localhost/build >/dev/null
    rm -rf "$tree"
}

build() { # TARGET
    # This machine's settings of cargo, such as a proxy, apply only to the build.
    local settings=() variable
    local relevant='^(CARGO_(HTTP|NET|REGISTR|SOURCE|BUILD_JOBS)|https?_proxy)'
    for variable in $(compgen -e | grep -E "$relevant"); do
        settings+=(--env "$variable=${!variable}")
    done
    buildah_ build --isolation chroot --format docker --layers --pull-never --target "$1" \
        --build-arg BUILD_IMAGE=localhost/build "${settings[@]}" \
        -t "localhost/scramble444:$1" . >"$work/build-$1.log" 2>&1 ||
        { tail -n 30 "$work/build-$1.log"; fail "building $1"; }
}

size() { podman_ image inspect --format '{{.Size}}' "localhost/scramble444:$1"; }
# The options of docker-compose.yml.
hardened=(--read-only --cap-drop all --security-opt no-new-privileges --network host
    --memory 512m --pids-limit 256 --ulimit nofile=1024:1024 --ulimit nproc=4096:4096
    --env "SCRAMBLE444_LISTEN=127.0.0.1:$port")
get() { python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())' \
    "http://127.0.0.1:$port$1" 2>/dev/null; }

# Runs IMAGE with OPTIONS, requests scrambles, checks its health, and stops it.
serve() { # IMAGE OPTIONS...
    local image=$1 started pid code
    shift
    started=$(date +%s%N)
    podman_ run -d --name "$name" "${hardened[@]}" "$@" "localhost/scramble444:$image" >/dev/null ||
        { tail "$work/podman.log"; fail "running $image"; }
    until get /readyz >/dev/null; do
        (($(date +%s%N) - started < 30000000000)) || fail "not ready: $(podman_ logs "$name")"
        sleep 0.02
    done
    say "$image: $((($(date +%s%N) - started) / 1000000)) ms from \`podman run\` to ready;" \
        "time in the program: $(podman "${storage[@]}" logs "$name" 2>&1 | grep -o 'seconds=.*')"
    pid=$(podman_ inspect --format '{{.State.Pid}}' "$name")
    grep -qP '^Uid:\t65532\t65532' "/proc/$pid/status" || fail "it does not run as 65532"
    grep -qP '^CapEff:\t0+$' "/proc/$pid/status" || fail "it has capabilities"
    grep -qP '^NoNewPrivs:\t1' "/proc/$pid/status" || fail "it may gain privileges"
    grep -qP ' / / ro[, ]' "/proc/$pid/mountinfo" || grep -qP '^\S+ \S+ \S+ \S+ / ro[, ]' \
        "/proc/$pid/mountinfo" || fail "its root is not read-only"
    say "$image: user 65532, no capabilities, read-only root;" \
        "$(awk '/VmRSS|RssAnon/ { printf "%s %d MB ", $1, $2 / 1024 }' "/proc/$pid/status")"
    get '/v1/scrambles?count=2' | grep -q '"scramble":"' || fail "no scrambles"
    podman_ healthcheck run "$name" >/dev/null || fail "the health check of the image fails"
    podman_ exec "$name" /usr/local/bin/scramble444 healthcheck || fail "healthcheck fails"
    podman_ stop -t 30 "$name" >/dev/null
    code=$(podman_ inspect --format '{{.State.ExitCode}}' "$name")
    [[ $code == 0 ]] || fail "exit code $code when stopped"
    podman_ rm "$name" >/dev/null
    code=0
    podman_ run --rm "${hardened[@]}" "localhost/scramble444:$image" healthcheck || code=$?
    [[ $code == 1 ]] || fail "healthcheck exits with $code without a service"
    say "$image: serves, health check 0, exit code 0; health check $code without a service"
}

# Starts the pod of the Kubernetes manifests, requests scrambles, and stops it.
play() {
    kubectl kustomize deploy/kubernetes/base |
        sed "s|image: scramble444:.*|image: localhost/scramble444:runtime|; s|4444\$|$port|" >"$work/pod.yaml"
    # The limits of --ulimit above.
    echo '[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]' >"$work/containers.conf"
    export CONTAINERS_CONF=$work/containers.conf
    podman_ kube play --build=false "$work/pod.yaml" >/dev/null ||
        { tail "$work/podman.log"; fail "starting the pod"; }
    for _ in $(seq 300); do
        ! get /readyz >/dev/null || break
        sleep 0.1
    done
    get '/v1/scrambles?count=2' | grep -q '"scramble":"' || fail "no scrambles of the pod"
    podman_ kube down "$work/pod.yaml" >/dev/null
    say "the pod of deploy/kubernetes/base serves"
}

buildah_ inspect --type image localhost/build >/dev/null 2>&1 ||
    { say "making the build image"; make_build_image; }
say "building"
build runtime
build bare
bare=$(size bare) runtime=$(size runtime)
say "image without tables: $((bare / 1000000)) MB; with compact tables: $((runtime / 1000000)) MB"
((bare < 40000000)) || fail "the image without tables is too large"
((runtime < bare + 240000000)) || fail "the tables are too large"

config=$(podman_ image inspect localhost/scramble444:runtime)
for expected in '"User": "65532:65532"' '"StopSignal": "SIGTERM"' '"Healthcheck"' \
    'SCRAMBLE444_LISTEN=0.0.0.0:4444' 'org.opencontainers.image.version'; do
    grep -qF -- "$expected" <<<"$config" || fail "the image lacks $expected"
done

serve runtime
# A new volume gets the owner of the directory in the image, so the user can write to it.
podman_ volume create "$name" >/dev/null
podman_ run --rm "${hardened[@]}" -v "$name:/var/lib/scramble444" localhost/scramble444:bare \
    tables build --profile compact >/dev/null ||
    { tail "$work/podman.log"; fail "building into a volume"; }
serve bare -v "$name:/var/lib/scramble444:ro"
podman_ volume rm "$name" >/dev/null
# Without a volume, it makes tables in memory.
serve bare --env SCRAMBLE444_PROFILE=pocket --env SCRAMBLE444_METHOD=reduction \
    --env SCRAMBLE444_METHODS=reduction
if command -v kubectl >/dev/null; then
    play
else
    say "left out: Kubernetes manifests, as there is no kubectl"
fi
echo "ok"
