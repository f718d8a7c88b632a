# docker build --tag acme/attune . && docker run --rm --volume "$PWD:/repo" acme/attune plan
FROM node:24-alpine AS build
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

FROM node:24-alpine
COPY --from=build /opt/attune /opt/attune
RUN ln -s /opt/attune/dist/cli/bin.js /usr/local/bin/attune
# Most containers run one command and are removed: they would write a cache of compiled code for nothing. Without it, nothing is written
# outside the working folder, so a read-only root file system works.
ENV NODE_DISABLE_COMPILE_CACHE=1
WORKDIR /repo
USER node
ENTRYPOINT ["attune"]
CMD ["--help"]
