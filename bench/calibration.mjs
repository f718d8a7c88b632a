// How fast this machine is at this moment: limits of the bench are multiples of what this file measures in the same run.
import { execFileSync } from 'node:child_process';
import { Pool } from 'undici';

const document = JSON.stringify(
  Array.from({ length: 2000 }, (_, index) => ({
    id: `ws-${index}`,
    attributes: { name: `service-${index}`, tags: ['a', 'b'] },
  })),
);

/** The median CPU time, in milliseconds, of a fixed piece of work: JSON, maps, sorting and texts. */
export function unitOfWork() {
  return median(Array.from({ length: 9 }, () => cpuMilliseconds(work)));
}

/** The median wall time, in milliseconds, of an empty Node process. */
export function emptyProcess() {
  return median(
    Array.from({ length: 5 }, () => {
      const started = performance.now();
      execFileSync(process.execPath, ['-e', '0']);
      return performance.now() - started;
    }),
  );
}

/** The wall time, in milliseconds, of requests without Attune: the same number, on the same server, with the same parallelism. */
export async function bareRequests(url, requests, parallelism) {
  const pool = new Pool(url, { connections: parallelism, pipelining: 1 });
  const path = '/api/v2/organizations/acme/workspaces/first';
  const headers = { authorization: 'Bearer bench' };
  let left = requests;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: parallelism }, async () => {
      while (left-- > 0) JSON.parse(await (await pool.request({ path, method: 'GET', headers })).body.text());
    }),
  );
  const milliseconds = performance.now() - started;
  await pool.close();
  return milliseconds;
}

/** CPU time, in milliseconds, that this process uses for a function. */
function cpuMilliseconds(run) {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

function work() {
  for (let round = 0; round < 5; round++) {
    const byName = new Map(JSON.parse(document).map((entry) => [entry.attributes.name, entry]));
    const names = [...byName.keys()].sort().map((name) => name.replace(/-(\d+)$/, '_$1'));
    JSON.stringify([...byName.values(), names]);
  }
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
