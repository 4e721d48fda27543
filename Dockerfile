# A small image of the standalone server. It does not run as root, and stores its data in the volume /data.
#
#	docker build -t sightline .
#	docker run -p 8080:8080 -v sightline:/data sightline
#
# The build needs the folder .git, because Go takes the version from its tags.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN go build -trimpath -ldflags=-s -o /out/sightline ./cmd/sightline && mkdir -m 0700 /out/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/sightline /usr/local/bin/sightline
COPY --from=build --chown=65532:65532 /out/data /data
ENV SIGHTLINE_ADDR=0.0.0.0:8080 SIGHTLINE_DATA=/data SIGHTLINE_DEMO=false SIGHTLINE_LOG_FORMAT=json
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/sightline"]
CMD ["serve"]
