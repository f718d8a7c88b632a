// Drift detection of many organizations with a limit per token: as one process, as shards, and as matrix jobs.
// `npm run bench -- --simulation` runs a reduced size; `--full` runs 50 organizations of 2,000 workspaces. `--arm one`,
// `--arm shards` or `--arm jobs` runs only one process, the shards, or the matrix jobs.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { organization } from './organizations.mjs';

const sizes = {
  reduced: { organizations: 10, shards: 5, workspaces: 200, withConsumers: 100, projects: 10 },
  full: { organizations: 50, shards: 10, workspaces: 2000, withConsumers: 400, projects: 100 },
};
/** Requests per second and token. */
const rate = 5;
/** Processes that run at a time. All of them share this machine. */
const atATime = 50;

const armNames = ['one', 'shards', 'jobs'];

/**
 * @param only the arm to run; all if absent
 * @returns whether every figure is within its limit
 */
export async function simulate({ isFull, only }) {
  if (only !== undefined && !armNames.includes(only))
    throw new Error(`unknown arm ${only}: use ${armNames.join(', ')}`);
  const { organizations, shards, ...content } = sizes[isFull ? 'full' : 'reduced'];
  const size = { ...content, teamsPerProject: 5 };
  const names = Array.from({ length: organizations }, (_, index) => `acme-${String(index).padStart(2, '0')}`);
  const folder = await mkdtemp(join(tmpdir(), 'attune-simulation-'));
  const server = fork(new URL('simulation-server.mjs', import.meta.url));
  try {
    for (const name of names) {
      const { yaml } = organization({ ...size, prefix: name.replaceAll('-', '') });
      await mkdir(join(folder, name));
      await writeFile(
        join(folder, name, 'attune.yaml'),
        yaml.replace('organization: acme', `organization: ${name}`),
      );
    }
    server.send({ type: 'start', size, organizations: names, rate });
    const { url } = await reply(server, 'started');
    const perOrganization = Math.ceil(size.workspaces / 100) + size.withConsumers + size.projects;
    // The first request of a token is sent at once, and the others one per second below the limit.
    const ideal = (perOrganization - 1) / (rate - 1);
    console.log(
      `\n${organizations} organizations of ${size.workspaces} workspaces, ${size.withConsumers} consumer lists and ${size.projects} projects; ${rate} requests per second and token`,
    );
    console.log(`  ideal of the limit: ${perOrganization} requests each, ${ideal.toFixed(1)} s`);
    const run = (args) => drift(folder, url, names, args);
    const all = names.map((name) => `${name}/attune.yaml`);
    const shardArgs = Array.from({ length: shards }, (_, index) => [
      ...all,
      '--shard',
      `${index + 1}/${shards}`,
    ]);
    const jobs = {
      one: ['one process', [all]],
      shards: [`${shards} shards`, shardArgs],
      jobs: [`${organizations} matrix jobs`, all.map((file) => [file])],
    };
    const measured = {};
    for (const key of armNames)
      if (only === undefined || key === only) measured[key] = await arm(...jobs[key], { run, server, ideal });
    const arms = Object.values(measured);
    printTable(arms);
    const { one } = measured;
    const checks = [
      [
        'requests of each arm, without refused ones',
        arms.every(({ requests, refused }) => requests - refused === perOrganization * organizations),
      ],
      ['drift of every organization found', arms.every(({ found }) => found === organizations)],
      ...(one
        ? [
            ['one process within 1.1 times the ideal', one.seconds <= 1.1 * ideal],
            ['one process below 850 MB', one.megabytes < 850],
          ]
        : []),
    ];
    for (const [what, isMet] of checks) console.log(`  ${isMet ? 'ok  ' : 'MISS'} ${what}`);
    return checks.every(([, isMet]) => isMet);
  } finally {
    server.send({ type: 'stop' });
    await rm(folder, { recursive: true });
  }
}

/** Runs processes, at most `atATime` together, and measures from their common start. */
async function arm(name, jobs, { run, server, ideal }) {
  let megabytes = 0;
  let cpuSeconds = 0;
  const startedAt = Date.now();
  const started = performance.now();
  const waiting = [...jobs];
  const ends = [];
  const worker = async () => {
    for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) {
      const result = await run(args);
      const seconds = (performance.now() - started) / 1000;
      for (const drifted of result.drifted) ends.push({ seconds, drifted });
      megabytes = Math.max(megabytes, result.megabytes);
      cpuSeconds += result.cpuSeconds;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, jobs.length) }, worker));
  const seconds = (performance.now() - started) / 1000;
  server.send({ type: 'count' });
  const { requests, refused, times } = await reply(server, 'counted');
  const latencies = ends.map((end) => end.seconds).sort((a, b) => a - b);
  console.log(`  ${name}: ${seconds.toFixed(1)} s, ${megabytes} MB, ${cpuSeconds.toFixed(0)} s of CPU`);
  // The first request of an organization is sent when its files, or all files of its process, are loaded.
  for (const which of ['first', 'last']) {
    const after = times.map((one) => (one[which] - startedAt) / 1000).sort((a, b) => a - b);
    const figures = [after[0], after[Math.floor(after.length / 2)], after.at(-1)];
    const [earliest, median, latest] = figures.map((figure) => figure.toFixed(1));
    console.log(
      `    ${which} request of an organization: earliest ${earliest} s, median ${median} s, latest ${latest} s`,
    );
  }
  const waves = Math.ceil(jobs.length / atATime);
  return {
    name,
    processes: jobs.length,
    requests,
    refused,
    seconds,
    ideal: ideal * waves,
    median: latencies[Math.floor(latencies.length / 2)],
    latest: latencies.at(-1),
    found: ends.filter(({ drifted }) => drifted).length,
    megabytes,
  };
}

/** One `attune drift` in a separate process, as a job runs it. */
async function drift(cwd, url, names, args) {
  const tokens = names.map((name) => [
    `ATTUNE_TOKEN_${name.toUpperCase().replaceAll('-', '_')}`,
    `token-of-${name}`,
  ]);
  const report = `drift-${args
    .join('_')
    .replaceAll(/[^\w-]/g, '-')
    .slice(-40)}.json`;
  const program = new URL('large-plan.mjs', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'drift', ...args, '--address', url, '--quiet', '--report', report],
    { cwd, env: { PATH: process.env.PATH, ...Object.fromEntries(tokens) }, maxBuffer: 2 ** 26 },
  );
  const { code, megabytes, cpuSeconds } = JSON.parse(stdout);
  if (code !== 0 && code !== 2) throw new Error(`attune drift ${args.join(' ')} exited with ${code}`);
  const document = JSON.parse(await readFile(join(cwd, report), 'utf8'));
  const drifted = (document.plans ?? [document]).map(({ changes }) => changes.length === 1);
  return { megabytes, cpuSeconds, drifted };
}

function printTable(arms) {
  const head = [
    'arm',
    'processes',
    'requests',
    '429s',
    'time',
    'ideal',
    'above',
    'found: median',
    'latest',
    'peak MB',
  ];
  const rows = arms.map((one) => [
    one.name,
    one.processes,
    one.requests,
    one.refused,
    `${one.seconds.toFixed(1)} s`,
    `${one.ideal.toFixed(1)} s`,
    `${((one.seconds / one.ideal - 1) * 100).toFixed(0)} %`,
    `${one.median.toFixed(1)} s`,
    `${one.latest.toFixed(1)} s`,
    one.megabytes,
  ]);
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => String(row[at]).length)),
  );
  for (const row of [head, ...rows])
    console.log(`  ${row.map((cell, at) => String(cell).padStart(widths[at])).join('  ')}`);
  console.log('');
}

async function reply(child, type) {
  for (;;) {
    const [message] = await once(child, 'message');
    if (message.type === type) return message;
  }
}
