# syntax=docker/dockerfile:1
# A small image of the standalone server. It does not run as root, and stores its data in the volume /data.
#
#	docker build -t sightline .
#	docker run -p 8080:8080 -v sightline:/data sightline
#
# The build needs the folder .git, because Go takes the version from its tags. The layer with modules is built again only
# after a change of go.mod or go.sum; the mounts keep modules and compiled packages between builds on one machine.
#
# The two base images are named by tag, not by digest: a digest would stay at old packages of Debian until somebody
# changes it. Name a digest of your own with --build-arg BUILDER=…@sha256:… and --build-arg BASE=…@sha256:….
ARG BUILDER=golang:1.26-bookworm
ARG BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILDER} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/go/build-cache \
    GOCACHE=/go/build-cache go build -trimpath -ldflags=-s -o /out/sightline ./cmd/sightline && mkdir -m 0700 /out/data

FROM ${BASE}
COPY --from=build /out/sightline /usr/local/bin/sightline
COPY --from=build --chown=65532:65532 /out/data /data
ENV SIGHTLINE_ADDR=0.0.0.0:8080 SIGHTLINE_DATA=/data SIGHTLINE_DEMO=false SIGHTLINE_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 8080
# A start after a crash first reads the log of events, which may take minutes.
HEALTHCHECK --interval=30s --timeout=15s --start-period=10m --start-interval=2s CMD ["/usr/local/bin/sightline", "health"]
ENTRYPOINT ["/usr/local/bin/sightline"]
CMD ["serve"]
