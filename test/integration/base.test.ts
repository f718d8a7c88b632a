import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { planFiles } from '../../src/index.ts';
import type { Plan } from '../../src/model/plan.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { startAttune } from './attune-process.ts';

type Files = Readonly<Record<string, string>>;

const seed = {
  organization: 'acme',
  projects: { Payments: 'prj-payments', Platform: 'prj-platform' },
  workspaces: {
    network: { 'auto-apply': false, tags: ['prod', 'manual'], project: 'prj-payments' },
    billing: { description: 'other' },
  },
} as const;

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;
const before = root('workspaces: {network: {auto-apply: true, tags: [prod]}, billing: {description: old}}');
const after = root(
  'workspaces: {network: {auto-apply: true, tags: [prod, new]}, billing: {description: new}}',
);

const env = {
  ATTUNE_TOKEN: 'test-token',
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

function git(folder: string, ...args: string[]): string {
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const options = { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', [...author, ...args], options);
}

function commitAll(folder: string): void {
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--no-verify', '-m', 'files');
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** A repository whose branch `main` has the files of the base, and whose working tree has others. */
async function repository(base: Files, head: Files): Promise<string> {
  const folder = await folderWith(base);
  git(folder, 'init', '-q', '-b', 'main');
  commitAll(folder);
  await write(folder, head);
  return folder;
}

async function worldIn(folder: string) {
  const emulator = await serviceWith({ seed });
  const run = (argv: readonly string[], cwd = folder, environment: Record<string, string> = env) =>
    attune([...argv, '--address', emulator.url], { cwd, env: environment });
  const planIn = async (cwd: string, argv: readonly string[], environment = env) =>
    JSON.parse((await run(['plan', '--format', 'json', ...argv], cwd, environment)).stdout) as Plan;
  return { folder, emulator, run, planIn, plan: (...argv: string[]) => planIn(folder, argv) };
}

const world = async (base: Files, head: Files) => worldIn(await repository(base, head));

/** One root file whose declarations change. */
const changed = () => world({ 'attune.yaml': before }, { 'attune.yaml': after });

/** The causes of a plan, as `address path: cause`. */
function causes({ changes }: Plan): string[] {
  return changes.flatMap(({ address, cause, fields }) => [
    ...(cause ? [`${address}: ${cause}`] : []),
    ...fields.map((field) => `${address} ${field.path}: ${field.cause}`),
  ]);
}

function warnings({ diagnostics }: Plan): string[] {
  return diagnostics.map(({ severity, message, hint }) => `${severity}: ${message}\n  ${hint}`);
}

/** The warning about a base that cannot be read. */
const unreadable = (why: string, hint: string, ref = 'main') =>
  `warning: cannot load the base ${ref}: ${why}; the cause of each change is unknown\n  ${hint}`;

const usual = [
  'workspace.billing description: change',
  'workspace.network auto-apply: drift',
  'workspace.network tags: change',
];
const changes = [usual[0], usual[2]];

test("a report shows Git's HEAD as its commit", async () => {
  const { run, folder } = await changed();
  const { stdout } = await run(['plan', '--format', 'html']);
  expect(stdout).toContain(`commit <code>${git(folder, 'rev-parse', 'HEAD').slice(0, 12)}</code>`);
});

test('a plan has the causes, the commit and what is no longer declared, and makes no further request', async () => {
  const { run, plan, emulator, folder } = await world(
    { 'attune.yaml': before },
    { 'attune.yaml': root('workspaces: {network: {auto-apply: true, tags: [prod, new]}}') },
  );
  await run(['plan']);
  const requests = () => emulator.requests.map(({ method, path }) => `${method} ${path}`);
  const without = requests();
  emulator.clearRequests();
  const document = await plan('--base', 'main');
  expect(requests()).toEqual(without);
  expect(causes(document)).toEqual(usual.slice(1));
  expect(document.base).toEqual({ ref: 'main', commit: git(folder, 'rev-parse', 'main').trim() });
  expect(document.noLongerDeclared).toEqual([
    { address: 'workspace.billing', location: { file: 'attune.yaml', line: 3, column: 57 } },
  ]);
  expect(git(folder, 'status', '--short')).toBe(' M attune.yaml\n');
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('attune-base-'))).toEqual([]);
});

test('a root file in a subfolder is compared from any working folder, in a linked worktree and after further commits', async () => {
  const files = { 'teams/a/attune.yaml': before, 'other.txt': '' };
  const { folder, planIn } = await world(files, { 'teams/a/attune.yaml': after });
  const plan = async (cwd: string, ...argv: string[]) => causes(await planIn(cwd, argv));
  expect(await plan(folder, 'teams/a', '--base', 'main')).toEqual(usual);
  expect(await plan(join(folder, 'teams/a'), '--base', 'main')).toEqual(usual);
  expect(await plan(join(folder, 'teams'), 'a/attune.yaml', '--base', 'main')).toEqual(usual);
  git(folder, 'checkout', '-q', '-b', 'change');
  commitAll(folder);
  const tree = join(await folderWith({}), 'tree');
  git(folder, 'worktree', 'add', '-q', '--detach', tree, 'change');
  expect(await plan(join(tree, 'teams/a'), '--base', 'main')).toEqual(usual);
  expect(await plan(join(tree, 'teams/a'), '--base', 'change~1')).toEqual(usual);
});

test('included files of the revision count, also those of the repository that share settings', async () => {
  const head = root('include: [parts/*.yaml, ../shared/*.yaml, "./one.yaml"]');
  const shared = 'templates: {auto: {auto-apply: true}}\n';
  const part = (description: string) =>
    `workspaces: {network: {extends: auto}, billing: {description: ${description}}}\n`;
  const base = {
    'attune.repository.yaml': '',
    'a/attune.yaml': head,
    'a/parts/b.yaml': part('old'),
    'a/one.yaml': 'teams: {dev: team-1}\n',
    'shared/t.yaml': shared,
  };
  const { plan } = await world(base, { 'a/parts/b.yaml': part('new') });
  expect(causes(await plan('a', '--base', 'main'))).toEqual(usual.slice(0, 2));
});

test('the base of a folder that the change replaces by a link is that folder in the base', async () => {
  const files = { 'prod/attune.yaml': before, 'next/attune.yaml': after };
  const { folder, plan } = await world(files, {});
  const compared = async (path: string) => causes(await plan(path, '--base', 'main'));
  expect(await compared('prod')).not.toContain('workspace.network tags: change');
  await rm(join(folder, 'prod'), { recursive: true });
  await symlink('next', join(folder, 'prod'));
  expect(await compared('prod')).toEqual(usual);
  await symlink(folder, `${folder}-link`);
  onTestFinished(() => rm(`${folder}-link`));
  expect(await compared(join(`${folder}-link`, 'prod'))).toEqual(usual);
});

test('a declaration that moves between root files is neither new nor dropped', async () => {
  const { plan } = await world(
    {
      'a/attune.yaml': root('workspaces: {network: {auto-apply: true}, billing: {description: same}}'),
      'b/attune.yaml': root('workspaces: {}'),
    },
    {
      'a/attune.yaml': root('workspaces: {billing: {description: same}}'),
      'b/attune.yaml': root('workspaces: {network: {auto-apply: true}}'),
    },
  );
  const { plans } = (await plan('a', 'b', '--base', 'main')) as Plan & { plans: readonly Plan[] };
  expect(plans.flatMap(causes)).toEqual([
    'workspace.billing description: drift',
    'workspace.network auto-apply: drift',
  ]);
  expect(plans.map(({ noLongerDeclared }) => noLongerDeclared)).toEqual([[], []]);
});

const clone = async (folder: string, ...options: string[]) => {
  const copy = join(await folderWith({}), 'copy');
  git(folder, 'clone', '-q', ...options, `file://${folder}`, copy);
  return copy;
};

test.each(rowsIn<[string, string, string]>`
- [nowhere, the repository has no revision nowhere, 'check its name, or write a folder as ./folder; in a shallow clone, fetch the whole history: set \`fetch-depth: 0\` for actions/checkout, \`GIT_DEPTH: "0"\` in GitLab CI, or run \`git fetch --unshallow\`']
- [--output=x, it is neither a revision nor a folder, 'name a revision such as origin/main, or a folder such as ../main']
- ['HEAD:attune.yaml', 'the repository has no revision HEAD:attune.yaml', 'check its name, or write a folder as ./folder; in a shallow clone, fetch the whole history: set \`fetch-depth: 0\` for actions/checkout, \`GIT_DEPTH: "0"\` in GitLab CI, or run \`git fetch --unshallow\`']
- [./nowhere, the folder does not exist, name a folder with the same root files]
`)('a base that cannot be read is a warning, and an error for --only-changed: %s', async (ref, why, hint) => {
  const { folder, plan, run } = await changed();
  const document = await plan(`--base=${ref}`);
  expect(warnings(document)).toEqual([unreadable(why, hint, ref)]);
  expect(new Set(causes(document).map((line) => line.split(': ')[1]))).toEqual(new Set(['unknown']));
  const { code, stderr } = await run(['apply', '--yes', `--base=${ref}`, '--only-changed']);
  expect([code, stderr]).toEqual([
    1,
    `error[base-unreadable]: cannot load the base ${ref}: ${why}\n  hint: ${hint}, or plan without --only-changed\nNo changes were made.\n`,
  ]);
  expect(existsSync(join(folder, 'x'))).toBe(false);
});

test('a partial clone fetches nothing', async () => {
  const { folder, planIn } = await changed();
  commitAll(folder);
  git(folder, 'config', 'uploadpack.allowFilter', 'true');
  const copy = await clone(folder, '--filter=blob:none');
  const [text = ''] = warnings(await planIn(copy, ['--base', 'HEAD~1']));
  expect(text).toMatch(/^warning: cannot load the base HEAD~1: /);
  expect(git(copy, 'rev-list', '--objects', '--all', '--missing=print')).toContain('?');
});

test('the base cannot be read if the root file is in no repository, or there is no git', async () => {
  const { folder: cwd, planIn } = await worldIn(await folderWith({ 'attune.yaml': after }));
  const plan = async (path: string) =>
    warnings(await planIn(cwd, ['--base', 'main'], { ...env, PATH: path }));
  const why = 'the root file is in no Git repository';
  const hint = 'run it in a clone of the repository, or compare with a folder such as ./folder';
  expect(await plan(env.PATH)).toEqual([unreadable(why, hint)]);
  await mkdir(join(cwd, '.git'));
  const empty = await folderWith({});
  const missing = unreadable('`git` is not installed', 'install git, or compare with a folder');
  expect(await plan(`relative:.:${empty}`)).toEqual([missing]);
  const broken = 'warning: cannot load the base main: `git rev-parse` failed: not a git repository';
  expect((await plan(env.PATH)).map((text) => text.slice(0, broken.length))).toEqual([broken]);
});

test('what a program declares has no base', async () => {
  const { folder, plan } = await changed();
  const program = `require('fs').writeFileSync(process.env.ATTUNE_OUTDIR + '/acme.attune.yaml', ${JSON.stringify(after)})`;
  await writeFile(join(folder, 'app.cjs'), program);
  const why = 'the program of --app declares it, and a base must not run programs';
  const hint =
    'write the configuration of the base into a folder with `attune render`, and name root files instead of a program';
  expect(warnings(await plan('--app', 'node app.cjs', '--base', 'main'))).toEqual([unreadable(why, hint)]);
});

test('a hostile repository runs no program: no fsmonitor, hook, filter, text conversion, alias, pager or replaced object', async () => {
  const { folder, plan } = await world(
    { 'attune.yaml': before, '.gitattributes': '* filter=evil diff=evil ident export-subst\n' },
    { 'attune.yaml': after },
  );
  const script = join(folder, 'evil.sh');
  await writeFile(script, `#!/bin/sh\necho "$0 $*" >> ${join(folder, 'evil.log')}\ncat\n`);
  await chmod(script, 0o755);
  const programs = [
    ...['core.fsmonitor', 'core.pager', 'core.sshCommand', 'core.editor', 'core.alternateRefsCommand'],
    ...['filter.evil.smudge', 'filter.evil.clean', 'filter.evil.process', 'diff.evil.textconv'],
    ...['diff.external', 'pager.ls-tree', 'uploadpack.packObjectsHook'],
  ];
  for (const name of programs) git(folder, 'config', name, script);
  for (const name of ['cat-file', 'ls-tree', 'rev-parse'])
    git(folder, 'config', `alias.${name}`, `!${script}`);
  git(folder, 'config', 'core.hooksPath', folder);
  const hooks = ['post-checkout', 'post-index-change', 'reference-transaction', 'fsmonitor-watchman'];
  await mkdir(join(folder, '.git/hooks'), { recursive: true });
  for (const place of ['.git/hooks', '.'])
    for (const hook of hooks) await cp(script, join(folder, place, hook), { force: true });
  expect(causes(await plan('--base', 'main'))).toEqual(usual);
  expect(existsSync(join(folder, 'evil.log'))).toBe(false);
});

test('variables of the environment do not change what git reads, and git gets no token', async () => {
  const { folder, planIn } = await changed();
  const bin = await folderWith({
    git: `#!/bin/sh\nenv >> "${folder}/env.log"\nexec ${git(folder, '--exec-path').trim()}/git "$@"\n`,
  });
  await chmod(join(bin, 'git'), 0o755);
  const hostile = { GIT_DIR: '/nowhere', GIT_EXTERNAL_DIFF: 'evil', GIT_TRACE: '1' };
  const environment = { ...env, PATH: `${bin}:${env.PATH}`, ...hostile };
  expect(causes(await planIn(folder, ['--base', 'main'], environment))).toEqual(usual);
  const seen = await readFile(join(folder, 'env.log'), 'utf8');
  expect(seen).toContain('GIT_NO_LAZY_FETCH=1');
  expect(seen).not.toMatch(/test-token|GIT_DIR|GIT_EXTERNAL_DIFF|GIT_TRACE/);
});

test.each([
  ['the root file is a link', 'attune.yaml', undefined],
  ['an included file is a link', 'parts/a.yaml', '[parts/*.yaml]'],
  ['an included folder is a link', 'parts', '[parts/a.yaml]'],
  ['a folder that a pattern enters is a link', 'all/parts', '["all/**/*.yaml"]'],
])('%s: the base is not read', async (_, link, include) => {
  const outside = await folderWith({ 'a.yaml': 'workspaces: {network: {auto-apply: true}}\n' });
  const folder = await folderWith(include ? { 'attune.yaml': root(`include: ${include}`) } : {});
  git(folder, 'init', '-q', '-b', 'main');
  await mkdir(dirname(join(folder, link)), { recursive: true });
  await symlink(link.endsWith('.yaml') ? join(outside, 'a.yaml') : outside, join(folder, link));
  commitAll(folder);
  await rm(join(folder, link));
  await write(folder, { 'attune.yaml': after });
  const { plan } = await worldIn(folder);
  const why = `${link} is a link, and links and submodules of a revision are not read`;
  const hint = 'limit include to regular files, or compare with a folder';
  expect(warnings(await plan('--base', 'main'))).toEqual([unreadable(why, hint)]);
});

test('a submodule that a pattern enters is refused, and others do no harm', async () => {
  const { folder, plan } = await world({ 'attune.yaml': before, 'parts/a.yaml': '{}\n' }, {});
  const commit = git(folder, 'rev-parse', 'HEAD').trim();
  git(folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},vendor/sub`);
  git(folder, 'commit', '-q', '-m', 'submodule');
  await write(folder, { 'attune.yaml': after });
  expect(causes(await plan('--base', 'HEAD'))).toEqual(usual);
  await write(folder, { 'attune.yaml': root('include: ["vendor/**/*.yaml"]') });
  git(folder, 'commit', '-q', '-m', 'include', 'attune.yaml');
  await write(folder, { 'attune.yaml': after });
  const why = 'vendor/sub is a submodule, and links and submodules of a revision are not read';
  expect(warnings(await plan('--base', 'HEAD'))).toEqual([expect.stringContaining(why)]);
});

test('a folder with the name of the revision is not the base, nor is a bare repository in the checkout', async () => {
  const { folder, plan } = await world(
    { 'attune.yaml': before },
    { 'attune.yaml': after, 'origin/main/attune.yaml': after },
  );
  expect(warnings(await plan('--base', 'origin/main'))).toEqual([
    expect.stringContaining('the repository has no revision origin/main'),
  ]);
  await mkdir(join(folder, 'sub'));
  git(join(folder, 'sub'), 'init', '-q', '--bare', '.');
  await write(folder, { 'sub/attune.yaml': after });
  git(folder, 'config', '-f', join(folder, 'sub/config'), 'core.fsmonitor', 'false');
  expect(causes(await plan('sub', '--base', 'main')).every((line) => line.endsWith(': change'))).toBe(true);
});

test('a repository that links a repository file above its root reads nothing outside of it', async () => {
  const base = { 'attune.yaml': root('include: [../secret.yaml]') };
  const { plan } = await world(base, { 'attune.yaml': after });
  await writeFile(join(tmpdir(), 'attune.repository.yaml'), '');
  onTestFinished(() => rm(join(tmpdir(), 'attune.repository.yaml'), { force: true }));
  const why = '"../secret.yaml" is outside the folder of the root file';
  expect(warnings(await plan('--base', 'main'))).toEqual([expect.stringContaining(why)]);
});

test('a saved plan is applied without git and without the base, and its report has the causes', async () => {
  const { folder, run } = await changed();
  const { code } = await run(['plan', '--base', 'main', '--only-changed', '--out', 'plan.json']);
  expect(code).toBe(0);
  await rm(join(folder, '.git'), { recursive: true });
  const argv = ['apply', '--plan', 'plan.json', '--yes', '--format', 'json'];
  const applied = await run(argv, folder, { ...env, PATH: '' });
  expect([applied.code, causes(JSON.parse(applied.stdout))]).toEqual([0, changes]);
  const { stdout } = await run(['plan', '--format', 'json']);
  expect(JSON.parse(stdout).changes.map(({ fields }: Plan['changes'][number]) => fields)).toEqual([
    [{ path: 'auto-apply', before: false, after: true }],
  ]);
});

test('the library takes a base', async () => {
  const { folder, emulator } = await changed();
  const settings = { cwd: folder, env, address: emulator.url };
  const { plans } = await planFiles([], { ...settings, base: 'main', onlyChanged: true });
  expect(plans.flatMap(causes)).toEqual(changes);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('no file of the base stays if %s ends the run', async (signal, exitCode) => {
  const folder = await repository({ 'attune.yaml': before }, { 'attune.yaml': after });
  const temporary = await folderWith({});
  const bin = await folderWith({
    git: `#!/bin/sh\ncase "$*" in *cat-file*) echo started >> ${folder}/started; exec sleep 20;; esac\nexec ${git(folder, '--exec-path').trim()}/git "$@"\n`,
  });
  await chmod(join(bin, 'git'), 0o755);
  const running = startAttune(['plan', '--base', 'main', '--address', 'embedded'], {
    cwd: folder,
    env: { ...env, PATH: `${bin}:${env.PATH}`, TMPDIR: temporary, HOME: temporary },
  });
  await vi.waitFor(() => expect(existsSync(join(folder, 'started'))).toBe(true), { timeout: 60_000 });
  const made = () =>
    readdir(temporary).then((names) => names.filter((name) => name.startsWith('attune-base-')));
  expect(await made()).toHaveLength(1);
  running.kill(signal);
  expect([(await running.ended).code, await made()]).toEqual([exitCode, []]);
});
