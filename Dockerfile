# The image of the nightly job. Build: docker build -t dawnload .
# Run: docs/schedule.md, "In a container".

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production \
    DAWNLOAD_DATA_DIR=/data
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/sql ./sql
COPY --from=build /build/examples ./examples
COPY --from=build /build/dist ./dist
COPY --from=build /build/src/readers/report/report.css /build/src/readers/report/page.js ./src/readers/report/
COPY --from=build /build/src/readers/explore/explore.css ./src/readers/explore/
# The account of the image exists already; numbers, so that Kubernetes can tell that it is not root.
RUN ln -s /app/dist/src/cli.js /usr/local/bin/dawnload && install -d -o 1000 -g 1000 -m 0755 /data /etc/dawnload
USER 1000:1000
# dawnload.yaml is read from here; mount it read-only.
WORKDIR /etc/dawnload
# The only place that is written to.
VOLUME /data
# The first night may take until tomorrow morning; a warehouse that is not fresh is unhealthy afterwards, but for a lack of budget (3).
HEALTHCHECK --interval=10m --timeout=30s --start-period=25h --retries=3 CMD ["sh", "-c", "dawnload status || [ $? -eq 3 ]"]
ENTRYPOINT ["dawnload"]
CMD ["schedule"]
