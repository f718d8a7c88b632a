# The image ghcr.io/OWNER/attune: `docker run --rm --volume "$PWD:/repo" ghcr.io/OWNER/attune plan`
FROM node:22-alpine AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# The package as it is published, with the dependencies of the lock file.
RUN npm run build \
  && npm pack --ignore-scripts --pack-destination /tmp \
  && mkdir -p /opt/attune \
  && tar -xzf /tmp/attune-*.tgz -C /opt/attune --strip-components 1 \
  && cp package-lock.json /opt/attune/ \
  && npm ci --prefix /opt/attune --omit=dev --omit=peer --ignore-scripts

FROM node:22-alpine
COPY --from=build /opt/attune /opt/attune
RUN ln -s /opt/attune/dist/cli/bin.js /usr/local/bin/attune
# Outside the working folder, only the cache of compiled code is written. It is optional, so a read-only root file system works.
WORKDIR /repo
USER node
ENTRYPOINT ["attune"]
CMD ["--help"]
