# The image of the nightly job. Build: docker build -t dawnload .
# Run: docs/operations.md, "In a container".

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && chmod 0755 dist/src/cli.js && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production \
    DAWNLOAD_DATA_DIR=/data
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/sql ./sql
COPY --from=build /build/dist ./dist
# The account of the image exists already; numbers, so that Kubernetes can tell that it is not root.
RUN ln -s /app/dist/src/cli.js /usr/local/bin/dawnload && install -d -o 1000 -g 1000 -m 0755 /data /etc/dawnload
USER 1000:1000
# dawnload.yaml is read from here; mount it read-only.
WORKDIR /etc/dawnload
# The only place that is written to.
VOLUME /data
HEALTHCHECK --interval=1m --timeout=5s --start-period=1m --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["dawnload"]
CMD ["schedule", "--health-port", "8080"]
