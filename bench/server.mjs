// The embedded service in a separate process, so that client and server do not share a processor's thread.
// Started with fork(): takes {seed, latency}, answers with its url, and counts requests when asked.
import { startEmulator } from '../build/emulator/index.js';

let emulator;

process.on('message', async (message) => {
  if (message.type === 'start') {
    emulator = await startEmulator({
      organization: 'acme',
      seed: message.seed,
      latency: message.latency,
      ...(message.dialect && { dialect: message.dialect }),
    });
    process.send({ type: 'started', url: emulator.url });
  } else if (message.type === 'count') {
    const methods = emulator.requests.map(({ method }) => method);
    const requests = methods.length;
    const writes = methods.filter((method) => method !== 'GET').length;
    emulator.clearRequests();
    process.send({ type: 'counted', requests, writes });
  } else if (message.type === 'memory') {
    process.send({ type: 'memory', megabytes: Math.round(process.resourceUsage().maxRSS / 1024) });
  } else {
    await emulator.stop();
    process.exit(0);
  }
});
