import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/service/clock.ts';

test('data that arrives before a late timer fires is handled before the sleep ends', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    unknown,
  ];
  onTestFinished(() => {
    client.destroy();
    accepted.destroy();
    server.close();
  });
  const order: string[] = [];
  client.on('data', () => order.push('data'));
  // From here, the event loop runs timers before it reads arrived data.
  await turn();
  accepted.write('answer');
  const sleeping = systemClock.sleep(1).then(() => order.push('end of the sleep'));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  await sleeping;
  expect(order).toEqual(['data', 'end of the sleep']);
});
