import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { organization } from '../../../bench/organizations.mjs';
import { folderWith, serviceWith } from '../../support/attune.ts';
import { simulateWatch } from '../../support/simulate-watch.ts';

// `npm run bench` has ten times as many workspaces.
test('250 cycles with --max-age 1h spread their requests evenly and keep no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const size = { workspaces: 100, withConsumers: 20, projects: 5, teamsPerProject: 5 };
  const { yaml, seed } = organization(size);
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': yaml });
  const requests: number[] = [];
  const megabytes: number[] = [];
  await simulateWatch({
    cwd,
    argv: ['--address', service.url, '--interval', '5m', '--max-age', '1h'],
    between: async ({ cycle, lines, status, stop }) => {
      requests.push(service.requests.length);
      service.clearRequests();
      expect(lines.find(({ event }) => event === 'planned')).toMatchObject({ update: 0, unchanged: 125 });
      if (cycle % 50 === 0) expect([await status('/'), await status('/metrics')]).toEqual([200, 200]);
      if (cycle === 50 || cycle === 250) {
        collect();
        megabytes.push(process.memoryUsage().heapUsed / 1e6);
      }
      if (cycle === 250) stop();
    },
  });
  // One page, and a twelfth of the 20 lists of consumers and 5 lists of grants.
  const [first, ...others] = requests;
  expect(first).toBe(26);
  expect(Math.max(...others)).toBeLessThanOrEqual(4);
  expect(others.reduce((sum, count) => sum + count, 0) / others.length).toBeLessThanOrEqual(3.5);
  const [early = 0, late = 0] = megabytes;
  expect(late - early).toBeLessThan(10);
});
