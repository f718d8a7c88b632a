// The embedded service of the simulation in a separate process: many organizations, and a limit per token.
// Started with fork(): takes {size, organizations, rate}, and answers with its url. When asked, it answers with the number
// of requests since the last time, and when the first and the last one of each organization arrived.
import { startEmulator } from '../build/emulator/index.js';
import { organization } from './organizations.mjs';

let emulator;
let requests = 0;
let refused = 0;
/** Milliseconds since 1970, by organization. */
let times = new Map();

process.on('message', async (message) => {
  if (message.type === 'start') {
    emulator = await startEmulator({
      seed: {
        // A limit belongs to a token, so each organization has its token.
        tokens: tokensOf(message.organizations),
        organizations: Object.fromEntries(
          message.organizations.map((name) => [name, seedOf(name, message.size)]),
        ),
      },
      rate: message.rate,
      log: ({ status, path }) => {
        requests += 1;
        if (status === 429) refused += 1;
        note(path);
      },
    });
    // One manual change in each organization, for the drift reports to find.
    for (const name of message.organizations) {
      const path = `${emulator.url}/api/v2/organizations/${name}/workspaces/service-00000`;
      await fetch(path, {
        method: 'PATCH',
        headers: { authorization: `Bearer change-${name}`, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: { type: 'workspaces', attributes: { description: 'changed' } } }),
      });
    }
    clear();
    process.send({ type: 'started', url: emulator.url });
  } else if (message.type === 'count') {
    process.send({ type: 'counted', requests, refused, times: [...times.values()] });
    clear();
  } else {
    await emulator.stop();
    process.exit(0);
  }
});

function clear() {
  requests = 0;
  refused = 0;
  times = new Map();
  emulator.clearRequests();
}

/** All paths have the name or an id of their organization in them. */
function note(path) {
  const organization = /acme-?(\d\d)/.exec(path)?.[1];
  const last = Date.now();
  times.set(organization, { first: times.get(organization)?.first ?? last, last });
}

function tokensOf(names) {
  const owner = (name) => ({ role: 'owner', organization: name });
  return Object.fromEntries(
    names.flatMap((name) => [
      [`token-of-${name}`, owner(name)],
      [`change-${name}`, owner(name)],
    ]),
  );
}

function seedOf(name, size) {
  const prefix = name.replaceAll('-', '');
  const { organization: _name, workspaces, ...seed } = organization({ ...size, prefix }).seed;
  const withIds = Object.entries(workspaces).map(([key, workspace], index) => [
    key,
    { ...workspace, id: `ws-${prefix}-${index}` },
  ]);
  return { ...seed, workspaces: Object.fromEntries(withIds) };
}
