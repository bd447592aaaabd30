# The service as a container. `docker build .` makes an image with compact tables, which is ready at
# once; `docker build --target bare .` one without tables, for a volume that holds them.
#
# The program is linked statically, so the image needs nothing but the program.

ARG BUILD_IMAGE=rust:1.95-slim-bookworm
ARG RUNTIME_IMAGE=scratch

FROM ${BUILD_IMAGE} AS build
WORKDIR /build
# Function names stay, for backtraces; the rest of the debugging information would be 34 MB.
ENV CARGO_PROFILE_RELEASE_DEBUG=false \
    RUSTFLAGS="-C target-feature=+crt-static"
# Dependencies and the libraries first, with an empty program, so that this layer is kept until they change.
# Naming the target keeps RUSTFLAGS from build scripts and macros, which cannot be static.
COPY Cargo.toml Cargo.lock ./
COPY crates crates
RUN mkdir -p src \
    && echo '//! Empty.' > src/lib.rs \
    && printf '//! Empty.\nfn main() {}\n' > src/main.rs \
    && rustc -vV | sed -n 's/^host: //p' > /target \
    && cargo build --release --locked --target "$(cat /target)"
COPY docs/curve.json docs/
COPY src src
# Newer than the empty program, whatever the time of the files is.
RUN find src -name '*.rs' -exec touch {} + \
    && cargo build --release --locked --target "$(cat /target)" \
    && mkdir -p /out/empty \
    && cp "target/$(cat /target)/release/scramble444" /out/

FROM build AS tables
RUN for method in five-stage reduction; do \
        set -- --tables-dir /out/tables --method "$method" --profile compact; \
        /out/scramble444 tables build "$@" && /out/scramble444 tables verify "$@" \
        || exit 1; \
    done \
    && rm /out/tables/.lock

FROM ${RUNTIME_IMAGE} AS bare
ARG VERSION=0.5.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="scramble444" \
      org.opencontainers.image.description="WCA-style random-state scrambles for the 4x4x4 cube, over HTTP. Not the official WCA scramble program." \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY LICENSE LICENSE-APACHE LICENSE-MIT /usr/share/doc/scramble444/
COPY --from=build /out/scramble444 /usr/local/bin/scramble444
# An empty directory that the user may write to: a new volume takes its owner from it.
COPY --from=build --chown=65532:65532 /out/empty/ /var/lib/scramble444/
ENV PORT=4444 \
    SCRAMBLE444_TABLES_DIR=/var/lib/scramble444
# By number, so that an orchestrator can see that it is not root.
USER 65532:65532
WORKDIR /
EXPOSE 4444
STOPSIGNAL SIGTERM
# Building the compact tables takes some seconds; with tables the service is ready in about one.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["/usr/local/bin/scramble444", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/scramble444"]

FROM bare AS runtime
# These belong to root: the program only reads them.
COPY --from=tables /out/tables/ /usr/share/scramble444/tables/
ENV SCRAMBLE444_TABLES_DIR=/usr/share/scramble444/tables
