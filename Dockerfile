# One image for people and for the workers of a fleet: aura, its plugin host, git, and the certificates of public servers.
#
#   docker build --tag aura .
#   docker run --rm --interactive --tty --volume "$PWD:/work" aura
#
# docs/fleet-placement.md describes the image and what its sandbox needs.
FROM golang:1.26-bookworm AS build
WORKDIR /src
# The modules change less often than the source, so they are a layer of their own.
COPY go.mod go.sum ./
COPY sdk/go.mod ./sdk/
RUN go mod download
COPY . .
# What 'aura version' prints. The image has no copy of the repository's history.
ARG COMMIT=""
ARG DATE=""
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/ \
    -ldflags "-s -w -X github.com/idelchi/aura/internal/base/build.commit=${COMMIT} -X github.com/idelchi/aura/internal/base/build.date=${DATE}" \
    ./cmd/...

FROM debian:bookworm-slim
# tini is the first process: it passes signals on, and it reaps processes whose parents have ended.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 65532 aura \
    && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /home/aura --shell /usr/sbin/nologin aura \
    && install --directory --owner 65532 --group 65532 --mode 0700 /home/aura \
    && install --directory --owner 65532 --group 65532 /work \
    && install --directory /etc/aura
COPY --from=build /out/ /usr/local/bin/
# The configuration is outside of the home directory: a task can write to a part of that, and a volume can cover it.
ENV HOME=/home/aura AURA_HOME=/etc/aura
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/bin/tini", "--", "aura"]
