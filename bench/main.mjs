// Prints the figures of docs/performance.md and fails where one of them is missed.
import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withEffects } from '../build/access/effects.js';
import { runTasks } from '../build/apply/run-tasks.js';
import { checkPolicies } from '../build/check/check-policies.js';
import { processIo } from '../build/cli/io.js';
import { run } from '../build/cli/main.js';
import { loadPolicyFiles } from '../build/desired/policies.js';
import {
  applyPlan,
  createPlan,
  createServiceClient,
  diff,
  liveQueryOf,
  loadConfig,
  readLive,
} from '../build/index.js';
import { plain } from '../build/report/paint.js';
import { renderReport } from '../build/report/render-report.js';
import { bareRequests, emptyProcess, unitOfWork } from './calibration.mjs';
import { newTeam, newWorkspaces, organization } from './organizations.mjs';
import { silentSink } from './silent-sink.mjs';
import { simulate } from './simulation.mjs';
import { startUpRatios } from './start-up.mjs';

const latency = 5;
const parallelism = 10;
const folder = await mkdtemp(join(tmpdir(), 'attune-bench-'));
const servers = [];
let missed = 0;
/** Milliseconds of CPU for one unit of work on this machine. */
const unit = unitOfWork();

if (process.argv.includes('--simulation')) {
  const at = process.argv.indexOf('--arm');
  const only = at === -1 ? undefined : process.argv[at + 1];
  if (!(await simulate({ isFull: process.argv.includes('--full'), only }))) missed += 1;
} else if (process.argv.includes('--start-up')) {
  startUp();
} else {
  await figures();
}
process.exitCode = missed === 0 ? 0 : 1;

async function figures() {
  console.log(`one unit of work: ${unit.toFixed(1)} ms of CPU`);
  try {
    await noOpPlan();
    await smallPlan();
    await fewInMany();
    await manyCreates();
    await taggedNoOpPlan();
    await taggedCreates();
    await onboarding();
    await moves();
    await deletes();
    await largePlan();
    await consumerRules();
    await policies();
    await schedule();
    await reports();
    await watching();
    await embeddedService();
    startUp();
  } finally {
    for (const server of servers) server.child.send({ type: 'stop' });
    await rm(folder, { recursive: true });
  }
}

function startUp() {
  heading('start-up, as a multiple of an empty Node process');
  const { version, validate, plan } = startUpRatios();
  check('--version', version.toFixed(2), version <= 3);
  check('validate of the quickstart', validate.toFixed(2), validate <= 4);
  check('plan of the quickstart, with the embedded service in its process', plan.toFixed(2), plan <= 7);
}

async function noOpPlan() {
  heading('no-op plan: 1,000 declared workspaces, 200 with consumers, 50 projects with 500 grants');
  const { yaml, seed } = organization({
    workspaces: 1000,
    withConsumers: 200,
    projects: 50,
    teamsPerProject: 10,
  });
  const server = await start(seed);
  const file = await save('no-op.yaml', yaml);
  const first = await attune(server, 'plan', file, '--detailed-exitcode');
  check('exit code (0: no changes)', first.code, first.code === 0);
  check('requests', first.requests, first.requests === 260);
  check('writes', first.writes, first.writes === 0);
  console.log(`  wall time ${first.milliseconds.toFixed(0)} ms`);

  const changed = await save('changed.yaml', yaml.replaceAll('"~> 1.9.0"', '"~> 1.10.0"'));
  const applied = await attune(server, 'apply', changed, '--yes');
  check(
    'writes of an apply that changes all 1,000',
    applied.writes,
    applied.writes === 1000 && applied.code === 0,
  );
  const second = await attune(server, 'apply', changed, '--yes');
  check('requests of the second apply', second.requests, second.requests === 260);
  check('writes of the second apply', second.writes, second.writes === 0);
}

async function smallPlan() {
  heading('no-op plan of 100 workspaces, 20 of them with consumer lists, 5 projects with 50 grants');
  const size = { workspaces: 100, withConsumers: 20, projects: 5, teamsPerProject: 10 };
  const { yaml, seed } = organization(size);
  const server = await launch(seed, 0);
  const file = await save('small.yaml', yaml);
  const bin = new URL('../dist/cli/bin.js', import.meta.url).pathname;
  const argv = [bin, 'plan', file, '--detailed-exitcode', '--address', server.url];
  const env = { ...process.env, ATTUNE_TOKEN: 'bench' };
  const report = new URL('print-memory.mjs', import.meta.url).href;
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', report, ...argv], { env });
  const megabytes = Number(/^peak memory: (\d+) MB$/m.exec(stderr)[1]);
  check('megabytes at the most', megabytes, megabytes <= 90);
}

async function fewInMany() {
  heading('plan of 3 declared workspaces in an organization of 10,000');
  const { seed } = organization({ workspaces: 10_000, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const server = await start(seed);
  const lines = [0, 1, 2].map((index) => `  service-0000${index}: {auto-apply: true}`);
  const file = await save('few.yaml', `attune: 1\norganization: acme\nworkspaces:\n${lines.join('\n')}\n`);
  const { requests, code } = await attune(server, 'plan', file);
  check('requests', requests, requests <= 4 && code === 0);
}

async function manyCreates() {
  heading('creating 100 workspaces, each with tags and consumers');
  const server = await start({ organization: 'acme', workspaces: { first: {} } });
  const client = createServiceClient({ address: new URL(server.url), token: 'bench', parallelism });
  const ratios = [];
  const rounds = 31;
  for (let round = 0; round < rounds; round++) {
    // Start-up is all that comes before the first write: the process, the files, the reads, the plan.
    const file = await save('creates.yaml', newWorkspaces(100, `round-${round}`));
    const { configurations } = await loadConfig(file);
    const [configuration] = configurations;
    const live = await readLive(client, liveQueryOf(configuration));
    const difference = diff(configuration, live);
    const plan = createPlan({ configuration, live, difference, address: server.url });
    await counted(server);
    const started = performance.now();
    const { changes } = await applyPlan(plan, { client, parallelism, readAt: started });
    const milliseconds = performance.now() - started;
    const { requests, writes } = await counted(server);
    const done = changes.every(({ result }) => result === 'done');
    if (round === 0) check('writes', writes, writes === 300 && requests === 300 && done);
    ratios.push(milliseconds / (await bareRequests(server.url, requests, parallelism)));
    await counted(server);
  }
  await client.close();
  // The later half: both processes have compiled what they run by then.
  const warm = ratios.slice(rounds / 2).sort((a, b) => a - b);
  console.log(
    `  times the same number of requests without Attune: ${warm.map((ratio) => ratio.toFixed(2)).join(' ')}`,
  );
  // Client and server share two cores with whatever else runs; a quarter of the rounds has little of it.
  const quartile = warm[Math.floor(warm.length / 4)];
  check('their lower quartile', quartile.toFixed(2), quartile <= 1.4);
}

async function taggedNoOpPlan() {
  heading('no-op plan: 1,000 workspaces with key/value tags in 50 managed projects');
  const { yaml, seed } = organization({
    workspaces: 1000,
    withConsumers: 200,
    projects: 50,
    teamsPerProject: 10,
    tagged: true,
  });
  const server = await start(seed, 'terraform');
  const { code, requests, writes } = await attune(
    server,
    'plan',
    await save('tagged.yaml', yaml),
    '--detailed-exitcode',
  );
  check('exit code (0: no changes)', code, code === 0);
  check('requests', requests, requests <= 261);
  check('writes', writes, writes === 0);
}

async function taggedCreates() {
  heading('creating 100 workspaces with tags, key/value tags and consumers in the terraform dialect');
  const server = await start({ workspaces: { first: {} } }, 'terraform');
  const file = await save('tagged-creates.yaml', newWorkspaces(100, 'tagged', { env: 'prod', bare: null }));
  const { code, writes } = await attune(server, 'apply', file, '--yes', '--no-journal');
  check('exit code', code, code === 0);
  check('writes', writes, writes === 200);
}

async function onboarding() {
  heading(
    'one pull request: a project, 10 workspaces with tags and key/value tags, 3 grants, 2 consumer lists',
  );
  const teams = { build: 'team-build', audit: 'team-audit', lead: 'team-lead' };
  const server = await start({ teams, workspaces: { first: {} } }, 'terraform');
  const { code, writes } = await attune(
    server,
    'apply',
    await save('onboarding.yaml', newTeam(10, 2)),
    '--yes',
    '--no-journal',
  );
  check('exit code', code, code === 0);
  check('writes (14, and one for each list)', writes, writes === 16);
}

async function moves() {
  heading('moving 100 workspaces to 2 projects in the terraform dialect');
  const projects = { Old: 'prj-old', One: 'prj-one', Two: 'prj-two' };
  const names = Array.from({ length: 100 }, (_, index) => `service-${index}`);
  const seed = { projects, workspaces: Object.fromEntries(names.map((name) => [name, { project: 'Old' }])) };
  const server = await start(seed, 'terraform');
  const lines = names.map((name, index) => `  ${name}: {project: ${index % 2 === 0 ? 'one' : 'two'}}`);
  const yaml = `attune: 1\norganization: acme\nprojects: {one: prj-one, two: prj-two}\nworkspaces:\n${lines.join('\n')}\n`;
  const { code, writes } = await attune(
    server,
    'apply',
    await save('moves.yaml', yaml),
    '--yes',
    '--no-journal',
  );
  check('exit code', code, code === 0);
  check('writes', writes, writes === 2);
}

async function deletes() {
  heading('plan with 50 deletes where deleted workspaces are recoverable');
  const names = Array.from({ length: 50 }, (_, index) => `service-${index}`);
  const lines = names.map((name) => `  ${name}: {state: absent}`);
  const limits = 'limits: {delete-percent: 100, deletes: 50}';
  const file = await save(
    'deletes.yaml',
    `attune: 1\norganization: acme\n${limits}\nworkspaces:\n${lines.join('\n')}\n`,
  );
  const workspaces = Object.fromEntries(names.map((name) => [name, {}]));
  const settings = { 'recoverable-items-enabled': true };
  const recoverable = await attune(await start({ settings, workspaces }, 'terraform'), 'plan', file);
  const final = await attune(await start({ workspaces }), 'plan', file);
  const more = recoverable.requests - final.requests;
  check('exit codes', `${recoverable.code}, ${final.code}`, recoverable.code + final.code === 0);
  check('requests more than without recoverable items', more, more <= 1);
}

async function largePlan() {
  heading('10,000 declared workspaces: read, validated, compared');
  const { yaml, seed } = organization({
    workspaces: 10_000,
    withConsumers: 0,
    projects: 50,
    teamsPerProject: 0,
  });
  console.log(`  ${(yaml.length / 1e6).toFixed(1)} MB of YAML`);
  const server = await start(seed);
  const file = await save('large.yaml', yaml);
  const plan = async (...flags) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        new URL('large-plan.mjs', import.meta.url).pathname,
        'plan',
        file,
        '--quiet',
        '--detailed-exitcode',
        '--address',
        server.url,
        ...flags,
      ],
      { env: { ...process.env, ATTUNE_TOKEN: 'bench' } },
    );
    return JSON.parse(stdout);
  };
  const { code, cpuSeconds, megabytes } = await plan();
  check('exit code (0: no changes)', code, code === 0);
  checkWork('CPU', cpuSeconds, 330);
  check('megabytes at the most', megabytes, megabytes < 500);

  heading('the same with a base of 10,000 workspaces');
  const base = await mkdtemp(join(tmpdir(), 'attune-bench-base-'));
  await writeFile(join(base, 'large.yaml'), yaml);
  const compared = await plan('--base', base);
  await rm(base, { recursive: true });
  check('exit code (0: no changes)', compared.code, compared.code === 0);
  const ratio = compared.cpuSeconds / cpuSeconds;
  check('times the CPU of a plan without a base', ratio.toFixed(2), ratio <= 1.5);
  check('megabytes at the most', compared.megabytes, compared.megabytes < 500);
}

async function consumerRules() {
  heading('2,000 workspaces that all share their state by the same selectors');
  const { seed } = organization({ workspaces: 2000, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const rule = 'remote-state-consumers: {add: [{name: "service-0001*"}, {name: "service-0002*"}]}';
  const lines = Object.keys(seed.workspaces).map((name) => `  ${name}: {${rule}}`);
  const yaml = `attune: 1\norganization: acme\nworkspaces:\n${lines.join('\n')}\n`;
  const server = await launch(seed, 0);
  const { configurations } = await loadConfig(await save('selectors.yaml', yaml));
  const [configuration] = configurations;
  const client = createServiceClient({ address: new URL(server.url), token: 'bench', parallelism });
  const live = await readLive(client, liveQueryOf(configuration));
  await client.close();
  const { changes } = diff(configuration, live);
  const started = process.cpuUsage();
  diff(configuration, live);
  const seconds = cpuSeconds(started);
  check('changes', changes.length, changes.length === 2000);
  checkWork('CPU of their comparison', seconds, 80);
}

async function policies() {
  heading('100 policies on a plan with 2,000 changes');
  const { seed } = organization({ workspaces: 2000, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const names = Object.keys(seed.workspaces);
  const lines = names.map((name) => `  ${name}: {iac-version: 1.10.2, tags: {add: [reviewed]}}`);
  const root = await save(
    'policies-root.yaml',
    `attune: 1\norganization: acme\nworkspaces:\n${lines.join('\n')}\n`,
  );
  const rule = (id, on, when, require) =>
    `  - {id: ${id}, on: ${on}, when: ${JSON.stringify(when)}, require: ${JSON.stringify(require)}, message: Never.}`;
  const rules = Array.from({ length: 25 }, (_, index) => [
    rule(
      `auto-apply-${index}`,
      'change',
      `change.name.endsWith('${index % 10}')`,
      "!change.fields.exists(f, f.path == 'auto-apply' && f.after == true)",
    ),
    rule(
      `names-${index}`,
      'change',
      "change.kind == 'workspace'",
      `change.name.matches('^[a-z]+-[0-9]{5}$') || change.name == 'a${index}'`,
    ),
    rule(
      `tags-${index}`,
      'workspace',
      "'prod' in workspace.tags",
      `workspace.tags.exists(t, t == 'managed') && !('t${index}' in workspace.tags)`,
    ),
    rule(
      `plan-${index}`,
      'plan',
      'true',
      `plan.changes.all(c, c.action != 'delete' && c.name != 'a${index}')`,
    ),
  ]).flat();
  const file = await save('policies.yaml', `policies:\n${rules.join('\n')}\n`);
  const server = await launch(seed, 0);
  const client = createServiceClient({ address: new URL(server.url), token: 'bench', parallelism });
  const { configurations } = await loadConfig(root);
  const [configuration] = configurations;
  const live = await readLive(client, liveQueryOf(configuration));
  await client.close();
  const difference = diff(configuration, live);
  const plan = createPlan({ configuration, live, difference, address: server.url });
  const started = process.cpuUsage();
  const loaded = await loadPolicyFiles([file], folder);
  const state = { configuration, live, difference, chosen: () => true };
  const checked = await checkPolicies(plan, loaded.policies, state);
  const seconds = cpuSeconds(started);
  const done = checked.policies.filter(({ violations, failed }) => violations === 0 && !failed).length;
  check('changes', plan.changes.length, plan.changes.length === 2000);
  check('policies that are met', done, done === 100);
  checkWork('CPU', seconds, 80);
}

async function schedule() {
  heading('scheduling of 40,000 calls, half of which wait for one');
  const task = (operation, address, needs = []) => ({ call: { operation }, needs, change: { address } });
  const hub = task('createWorkspace', 'hub');
  const many = Array.from({ length: 20_000 }, (_, index) => `w${index}`);
  const tasks = [
    hub,
    ...many.map((name) => task('createWorkspace', name)),
    ...many.map((name) => task('replaceConsumers', name, [hub])),
  ];
  let done = 0;
  const started = process.cpuUsage();
  await runTasks(tasks, {
    parallelism,
    run: async () => {
      done += 1;
    },
  });
  const seconds = cpuSeconds(started);
  check('calls', done, done === tasks.length);
  checkWork('CPU', seconds, 80);
}

async function reports() {
  heading('reports');
  const text = await renderedPlan(10_000, 'text');
  checkWork('text of a plan with 10,000 changes', text.seconds, 80);
  const page = await renderedPlan(2000, 'html');
  checkWork('page of a plan with 2,000 changes', page.seconds, 80);
  check('its megabytes', page.megabytes.toFixed(1), page.megabytes < 5);
  const markdown = await renderedPlan(2000, 'markdown');
  check('bytes of its comment', Math.round(markdown.megabytes * 1e6), markdown.megabytes * 1e6 <= 55_000);
  checkWork('its comment', markdown.seconds, 80);
  for (const format of ['junit', 'github']) {
    const { seconds } = await renderedPlan(2000, format);
    checkWork(`the same as ${format}`, seconds, 80);
  }
}

/** A plan that changes the tags of each workspace, and its version to a different one each: equal changes are grouped. */
async function renderedPlan(workspaces, format) {
  const { yaml, seed } = organization({ workspaces, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const server = await launch(seed, 0);
  let version = 0;
  const changed = yaml
    .replaceAll('"~> 1.9.0"', () => `"~> 1.10.${version++}"`)
    .replaceAll('[managed, ', '[changed, ');
  const { configurations } = await loadConfig(await save('report.yaml', changed));
  const [configuration] = configurations;
  const client = createServiceClient({ address: new URL(server.url), token: 'bench', parallelism });
  const live = await readLive(client, liveQueryOf(configuration));
  await client.close();
  const difference = diff(configuration, live);
  const calls = createPlan({ configuration, live, difference, address: server.url });
  const plan = withEffects(calls, { configuration, live, difference });
  const entry = { plan, diagnostics: plan.diagnostics, path: (file) => file };
  const started = process.cpuUsage();
  const report = await renderReport({ kind: 'plan', entries: [entry] }, format, { paint: plain });
  return { seconds: cpuSeconds(started), megabytes: Buffer.byteLength(report) / 1e6 };
}

async function watching() {
  heading('attune watch --max-age 1h, every 5 minutes');
  const large = { workspaces: 1000, withConsumers: 200, projects: 50, teamsPerProject: 10 };
  const day = await watched(large, 288);
  check(
    'cycles of a day with 1,000 workspaces, 200 lists and 50 projects',
    day.succeeded,
    day.succeeded === 288,
  );
  const average = day.requests / 288;
  check('requests per cycle', average.toFixed(1), average <= 35);
  const small = { workspaces: 100, withConsumers: 20, projects: 5, teamsPerProject: 10 };
  const long = await watched(small, 500);
  check('cycles with 100 workspaces', long.succeeded, long.succeeded === 500);
  check('megabytes that cycles 51 to 500 keep', long.grown.toFixed(1), long.grown < 10);
}

/** A `watch` in a separate process for a number of cycles. */
async function watched(size, cycles) {
  const { yaml, seed } = organization(size);
  const server = await launch(seed, 0);
  const file = await save('watched.yaml', yaml);
  const flags = [file, '--address', server.url, '--interval', '5m', '--max-age', '1h'];
  const script = new URL('watch.mjs', import.meta.url).pathname;
  const args = ['--expose-gc', script, String(cycles), ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return { ...JSON.parse(stdout), ...(await counted(server)) };
}

async function embeddedService() {
  heading('the embedded service');
  const starts = [];
  for (let run = 0; run < 5; run++) starts.push(await startMilliseconds());
  const start = starts.sort((a, b) => a - b)[2];
  const empty = emptyProcess();
  check(
    'from the command to LISTENING, in times of an empty process',
    (start / empty).toFixed(1),
    start <= 8 * empty,
  );

  const { seed } = organization({ workspaces: 10_000, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const server = await launch(seed, 0);
  const client = createServiceClient({ address: new URL(server.url), token: 'bench', parallelism: 4 });
  const pages = 600;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: pages }, (_, index) =>
      client.get('/organizations/acme/workspaces', { 'page[number]': (index % 100) + 1, 'page[size]': 100 }),
    ),
  );
  const perPage = (performance.now() - began) / pages / 1000;
  await client.close();
  checkWork('a list page of 100, 10,000 workspaces stored', perPage, 2);

  const large = organization({ workspaces: 50_000, withConsumers: 0, projects: 50, teamsPerProject: 0 });
  const full = await launch(large.seed, 0);
  full.child.send({ type: 'memory' });
  const { megabytes } = await reply(full.child, 'memory');
  check('megabytes at the most with 50,000 workspaces', megabytes, megabytes < 600);
}

/** One `attune emulator` from its command to the line with its address. */
async function startMilliseconds() {
  const bin = new URL('../dist/cli/bin.js', import.meta.url).pathname;
  const began = performance.now();
  const child = spawn(process.execPath, [bin, 'emulator', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const milliseconds = performance.now() - began;
  child.kill();
  await once(child, 'exit');
  return milliseconds;
}

/** Runs a command in this process, whose modules are loaded, and asks the server what it saw of it. */
async function attune(server, command, file, ...flags) {
  const io = {
    ...processIo(),
    stdout: silentSink,
    env: { ATTUNE_TOKEN: 'bench' },
    cwd: folder,
    home: folder,
  };
  const started = performance.now();
  const argv = [
    command,
    file,
    '--address',
    server.url,
    '--parallelism',
    String(parallelism),
    '--quiet',
    ...flags,
  ];
  const code = await run(argv, io);
  return { code, milliseconds: performance.now() - started, ...(await counted(server)) };
}

/** What the server saw since it was asked last. */
async function counted(server) {
  server.child.send({ type: 'count' });
  const { requests, writes } = await reply(server.child, 'counted');
  return { requests, writes };
}

function start(seed, dialect) {
  return launch(seed, latency, dialect);
}

async function launch(seed, milliseconds, dialect) {
  const child = fork(new URL('server.mjs', import.meta.url));
  child.send({ type: 'start', seed, latency: milliseconds, dialect });
  const { url } = await reply(child, 'started');
  const server = { child, url };
  servers.push(server);
  return server;
}

async function reply(child, type) {
  const ended = new AbortController();
  const { signal } = ended;
  const [message] = await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]);
  ended.abort();
  if (message?.type !== type) throw new Error(`the server answered ${JSON.stringify(message)}`);
  return message;
}

async function save(name, text) {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

/** What this process has used since `process.cpuUsage()` was `started`. */
function cpuSeconds(started) {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1e6;
}

function heading(text) {
  console.log(`\n${text}`);
}

function check(what, value, ok) {
  if (!ok) missed += 1;
  console.log(`  ${ok ? 'ok    ' : 'MISSED'} ${what}: ${value}`);
}

/** Checks seconds of work as a multiple of what one unit of work takes on this machine. */
function checkWork(what, seconds, limit) {
  const units = (seconds * 1000) / unit;
  check(
    `${what}, in units of work (limit ${limit})`,
    `${units.toFixed(1)} (${seconds.toFixed(2)} s)`,
    units <= limit,
  );
}
