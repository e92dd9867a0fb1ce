# The server in a container. Build: docker build -t nanobot .
# Run: docker run -p 127.0.0.1:8765:8765 -v nanobot:/data -e NANOBOT__SERVER__TOKEN=choose-a-long-one nanobot
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p nanobot && cp target/release/nanobot /nanobot

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home --home-dir /data --shell /usr/sbin/nologin nanobot
COPY --from=build /nanobot /usr/local/bin/nanobot
USER 10001
ENV NANOBOT_HOME=/data
VOLUME /data
EXPOSE 8765
# Beyond loopback a credential is needed: set NANOBOT__SERVER__TOKEN, or run `nanobot token create NAME` in the volume.
ENTRYPOINT ["nanobot"]
CMD ["serve", "--host", "0.0.0.0"]
