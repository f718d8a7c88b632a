// The embedded service of the simulation in a separate process: many organizations, and a limit per token.
// Started with fork(): takes {size, organizations, rate}, answers with its url, and counts requests when asked.
import { startEmulator } from '../build/emulator/index.js';
import { organization } from './organizations.mjs';

let emulator;
let requests = 0;
let refused = 0;

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
      log: ({ status }) => {
        requests += 1;
        if (status === 429) refused += 1;
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
    requests = 0;
    process.send({ type: 'started', url: emulator.url });
  } else if (message.type === 'count') {
    process.send({ type: 'counted', requests, refused });
    requests = 0;
    refused = 0;
    emulator.clearRequests();
  } else {
    await emulator.stop();
    process.exit(0);
  }
});

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
  const { organization: _name, ...seed } = organization({ ...size, prefix: name.replaceAll('-', '') }).seed;
  return seed;
}
