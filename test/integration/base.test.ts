import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { planFiles } from '../../src/index.ts';
import type { Plan } from '../../src/model/plan.ts';
import { attune, folderWith } from '../support/attune.ts';

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

function git(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
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

async function service(options: EmulatorOptions = { seed }) {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.stop());
  return emulator;
}

const env = {
  ATTUNE_TOKEN: 'test-token',
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

async function world(base: Files, head: Files) {
  const folder = await repository(base, head);
  const emulator = await service();
  const run = (argv: readonly string[], cwd = folder, environment: Record<string, string> = env) =>
    attune([...argv, '--address', emulator.url], { cwd, env: environment });
  return {
    folder,
    emulator,
    run,
    plan: async (...argv: string[]) => documentOf(await run(['plan', '--format', 'json', ...argv])),
  };
}

function documentOf({ stdout }: { readonly stdout: string }): Plan {
  return JSON.parse(stdout);
}

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

const usual = [
  'workspace.billing description: change',
  'workspace.network auto-apply: drift',
  'workspace.network tags: change',
];

describe('the base is a revision', () => {
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

  test('drift has the causes, too', async () => {
    const { run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const { code, stdout } = await run(['drift', '--base', 'HEAD', '--format', 'json']);
    expect([code, causes(JSON.parse(stdout))]).toEqual([2, usual]);
  });

  test('a root file in a subfolder is compared from any working folder, in a linked worktree and after further commits', async () => {
    const files = { 'teams/a/attune.yaml': before, 'other.txt': '' };
    const { folder, run } = await world(files, { 'teams/a/attune.yaml': after });
    const plan = async (cwd: string, ...argv: string[]) =>
      causes(documentOf(await run(['plan', '--format', 'json', ...argv], cwd)));
    expect(await plan(folder, 'teams/a', '--base', 'main')).toEqual(usual);
    expect(await plan(join(folder, 'teams/a'), '--base', 'main')).toEqual(usual);
    expect(await plan(join(folder, 'teams'), 'a/attune.yaml', '--base', 'main')).toEqual(usual);
    git(folder, 'checkout', '-q', '-b', 'change');
    commitAll(folder);
    const tree = join(await mkdtemp(join(tmpdir(), 'attune-test-')), 'tree');
    onTestFinished(() => rm(dirname(tree), { recursive: true, force: true }));
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

  test('names are compared by the ids that the run has read', async () => {
    const { plan, emulator } = await world(
      {
        'attune.yaml': root(
          'projects: {pay: prj-payments}\nworkspaces: {network: {project: pay}, billing: {project: Payments}}',
        ),
      },
      {
        'attune.yaml': root(
          'projects: {money: {name: Platform}}\nworkspaces: {network: {project: Platform}, billing: {project: prj-payments}}',
        ),
      },
    );
    expect(causes(await plan('--base', 'main'))).toEqual([
      'workspace.billing project: drift',
      'workspace.network project: change',
    ]);
    expect(emulator.requests.filter(({ path }) => path.includes('/projects'))).toHaveLength(1);
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

  test('a root file that the base does not have is all change, and a renamed one is compared with what it was', async () => {
    const { folder, plan, run } = await world({ 'attune.yaml': before }, { 'new/attune.yaml': after });
    expect(causes(await plan('new', '--base', 'main'))).toEqual(
      usual.map((line) => line.replace('drift', 'change')),
    );
    await rename(join(folder, 'new/attune.yaml'), join(folder, 'renamed.yaml'));
    await rm(join(folder, 'attune.yaml'));
    expect(causes(await plan('renamed.yaml', '--base', 'main'))).toEqual(usual);
    const { stderr } = await run(['plan', 'renamed.yaml', '--base', 'main']);
    expect(stderr).toContain(
      'note[rule-changed]: this change renames the root file attune.yaml to renamed.yaml',
    );
  });

  test('a declaration that moves between root files is neither new nor dropped', async () => {
    const { run } = await world(
      {
        'a/attune.yaml': root('workspaces: {network: {auto-apply: true}, billing: {description: same}}'),
        'b/attune.yaml': root('workspaces: {}'),
      },
      {
        'a/attune.yaml': root('workspaces: {billing: {description: same}}'),
        'b/attune.yaml': root('workspaces: {network: {auto-apply: true}}'),
      },
    );
    const { stdout } = await run(['plan', 'a', 'b', '--base', 'main', '--format', 'json']);
    const { plans } = JSON.parse(stdout) as { readonly plans: readonly Plan[] };
    expect(plans.flatMap(causes)).toEqual([
      'workspace.billing description: drift',
      'workspace.network auto-apply: drift',
    ]);
    expect(plans.map(({ noLongerDeclared }) => noLongerDeclared)).toEqual([[], []]);
  });

  test('a base with errors makes the causes of all root files of its organization unknown', async () => {
    const { run } = await world(
      { 'a/attune.yaml': root('workspaces: {network: {autoapply: true}}'), 'b/attune.yaml': before },
      {
        'a/attune.yaml': root('workspaces: {network: {auto-apply: true}}'),
        'b/attune.yaml': root('workspaces: {billing: {description: new}}'),
      },
    );
    const { code, stdout } = await run(['plan', 'a', 'b', '--base', 'main', '--format', 'json']);
    const { plans } = JSON.parse(stdout) as { readonly plans: readonly Plan[] };
    expect([code, plans.flatMap(causes)]).toEqual([
      0,
      ['workspace.network auto-apply: unknown', 'workspace.billing description: unknown'],
    ]);
    expect(plans.map(({ noLongerDeclared }) => noLongerDeclared === undefined)).toEqual([true, true]);
    expect(plans.flatMap(warnings)).toEqual([
      'warning: cannot load the base main: attune.yaml:3:24: unknown key "autoapply" in a workspace; the cause of each change is unknown\n  correct the base, or choose another one',
    ]);
  });
});

describe('a base that cannot be read is a warning, and an error for --only-changed', () => {
  const clone = async (folder: string, ...options: string[]) => {
    const copy = join(await mkdtemp(join(tmpdir(), 'attune-test-')), 'copy');
    onTestFinished(() => rm(dirname(copy), { recursive: true, force: true }));
    git(folder, 'clone', '-q', ...options, `file://${folder}`, copy);
    return copy;
  };

  test.each([
    [
      'nowhere',
      'the repository has no revision nowhere',
      'fetch it, check its name, or write a folder as ./folder',
    ],
    [
      '--output=x',
      'it is neither a revision nor a folder',
      'name a revision such as origin/main, or a folder such as ../main',
    ],
    [
      'HEAD:attune.yaml',
      'the repository has no revision HEAD:attune.yaml',
      'fetch it, check its name, or write a folder as ./folder',
    ],
    ['./nowhere', 'the folder does not exist', 'name a folder with the same root files'],
  ])('%s', async (ref, why, hint) => {
    const { folder, plan, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const document = await plan(`--base=${ref}`);
    expect(warnings(document)).toEqual([
      `warning: cannot load the base ${ref}: ${why}; the cause of each change is unknown\n  ${hint}`,
    ]);
    expect(new Set(causes(document).map((line) => line.split(': ')[1]))).toEqual(new Set(['unknown']));
    const { code, stderr } = await run(['apply', '--yes', `--base=${ref}`, '--only-changed']);
    expect([code, stderr]).toEqual([
      1,
      `error[base-unreadable]: cannot load the base ${ref}: ${why}\n  hint: ${hint}, or plan without --only-changed\nNo changes were made.\n`,
    ]);
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('a shallow clone without the revision names the depth that the recipe needs', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    commitAll(folder);
    const copy = await clone(folder, '--depth=1');
    const { stdout } = await run(['plan', '--base', 'HEAD~1', '--format', 'json'], copy);
    expect(warnings(JSON.parse(stdout))).toEqual([
      'warning: cannot load the base HEAD~1: the repository has no revision HEAD~1: it is a shallow clone; the cause of each change is unknown\n  fetch the whole history: set `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: "0"` in GitLab CI, or run `git fetch --unshallow`',
    ]);
  });

  test('a partial clone fetches nothing', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    commitAll(folder);
    git(folder, 'config', 'uploadpack.allowFilter', 'true');
    const copy = await clone(folder, '--filter=blob:none');
    const { stdout } = await run(['plan', '--base', 'HEAD~1', '--format', 'json'], copy);
    const [text = ''] = warnings(JSON.parse(stdout));
    expect(text).toMatch(/^warning: cannot load the base HEAD~1: /);
    expect(git(copy, 'rev-list', '--objects', '--all', '--missing=print')).toContain('?');
  });

  test('the root file is in no repository, or there is no git', async () => {
    const emulator = await service();
    const cwd = await folderWith({ 'attune.yaml': after });
    const plan = async (path: string) =>
      warnings(
        documentOf(
          await attune(['plan', '--base', 'main', '--format', 'json', '--address', emulator.url], {
            cwd,
            env: { ...env, PATH: path },
          }),
        ),
      );
    expect(await plan(env.PATH)).toEqual([
      'warning: cannot load the base main: the root file is in no Git repository; the cause of each change is unknown\n  run it in a clone of the repository, or compare with a folder',
    ]);
    await mkdir(join(cwd, '.git'));
    const empty = await folderWith({});
    expect(await plan(`relative:.:${empty}`)).toEqual([
      'warning: cannot load the base main: `git` is not installed; the cause of each change is unknown\n  install git, or compare with a folder',
    ]);
    expect(await plan(env.PATH)).toEqual([
      expect.stringMatching(
        /^warning: cannot load the base main: `git rev-parse` failed: not a git repository/,
      ),
    ]);
  });

  test('what a program declares has no base', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const program = `require('fs').writeFileSync(process.env.ATTUNE_OUTDIR + '/acme.attune.yaml', ${JSON.stringify(after)})`;
    await writeFile(join(folder, 'app.cjs'), program);
    const { stdout } = await run(['plan', '--app', 'node app.cjs', '--base', 'main', '--format', 'json']);
    expect(warnings(JSON.parse(stdout))).toEqual([
      'warning: cannot load the base main: the program of --app declares it, and a base must not run programs; the cause of each change is unknown\n  write the configuration of the base into a folder with `attune render`, and name root files instead of a program',
    ]);
  });
});

describe('a hostile repository', () => {
  test('runs no program: no fsmonitor, hook, filter, text conversion, alias, pager or replaced object', async () => {
    const { folder, plan } = await world(
      { 'attune.yaml': before, '.gitattributes': '* filter=evil diff=evil ident export-subst\n' },
      { 'attune.yaml': after },
    );
    const script = join(folder, 'evil.sh');
    await writeFile(script, `#!/bin/sh\necho "$0 $*" >> ${join(folder, 'evil.log')}\ncat\n`);
    await chmod(script, 0o755);
    const programs = [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'core.alternateRefsCommand',
      'filter.evil.smudge',
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.external',
      'pager.ls-tree',
      'uploadpack.packObjectsHook',
    ];
    for (const name of programs) git(folder, 'config', name, script);
    for (const name of ['cat-file', 'ls-tree', 'rev-parse'])
      git(folder, 'config', `alias.${name}`, `!${script}`);
    git(folder, 'config', 'core.hooksPath', folder);
    await mkdir(join(folder, '.git/hooks'), { recursive: true });
    for (const hook of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'fsmonitor-watchman',
    ]) {
      await writeFile(join(folder, '.git/hooks', hook), await readFile(script));
      await chmod(join(folder, '.git/hooks', hook), 0o755);
      await writeFile(join(folder, hook), await readFile(script), { mode: 0o755 });
    }
    expect(causes(await plan('--base', 'main'))).toEqual(usual);
    expect(existsSync(join(folder, 'evil.log'))).toBe(false);
  });

  test('variables of the environment do not change what git reads, and git gets no token', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const bin = await folderWith({
      git: `#!/bin/sh\nenv >> "${folder}/env.log"\nexec ${git(folder, '--exec-path').trim()}/git "$@"\n`,
    });
    await chmod(join(bin, 'git'), 0o755);
    const hostile = {
      ...env,
      PATH: `${bin}:${env.PATH}`,
      GIT_DIR: '/nowhere',
      GIT_EXTERNAL_DIFF: 'evil',
      GIT_TRACE: '1',
    };
    const { stdout } = await run(['plan', '--base', 'main', '--format', 'json'], folder, hostile);
    expect(causes(JSON.parse(stdout))).toEqual(usual);
    const seen = await readFile(join(folder, 'env.log'), 'utf8');
    expect(seen).toContain('GIT_NO_LAZY_FETCH=1');
    expect(seen).not.toMatch(/test-token|GIT_DIR|GIT_EXTERNAL_DIFF|GIT_TRACE/);
  });

  test.each([
    ['the root file is a link', 'attune.yaml', {}, 'attune.yaml'],
    [
      'an included file is a link',
      'parts/a.yaml',
      { 'attune.yaml': root('include: [parts/*.yaml]') },
      'parts/a.yaml',
    ],
    ['an included folder is a link', 'parts', { 'attune.yaml': root('include: [parts/a.yaml]') }, 'parts'],
    [
      'a folder that a pattern enters is a link',
      'all/parts',
      { 'attune.yaml': root('include: ["all/**/*.yaml"]') },
      'all/parts',
    ],
  ])('%s: the base is not read', async (_, link, files, named) => {
    const outside = await folderWith({ 'a.yaml': 'workspaces: {network: {auto-apply: true}}\n' });
    const folder = await folderWith(files);
    git(folder, 'init', '-q', '-b', 'main');
    await mkdir(dirname(join(folder, link)), { recursive: true });
    await symlink(link.endsWith('.yaml') ? join(outside, 'a.yaml') : outside, join(folder, link));
    commitAll(folder);
    await rm(join(folder, link));
    await write(folder, { 'attune.yaml': after });
    const emulator = await service();
    const ran = await attune(['plan', '--base', 'main', '--format', 'json', '--address', emulator.url], {
      cwd: folder,
      env,
    });
    expect(warnings(documentOf(ran))).toEqual([
      `warning: cannot load the base main: ${named} is a link, and links and submodules of a revision are not read; the cause of each change is unknown\n  limit include to regular files, or compare with a folder`,
    ]);
  });

  test('a submodule that a pattern enters is refused, and others do no harm', async () => {
    const { folder, run } = await world({ 'attune.yaml': before, 'parts/a.yaml': '{}\n' }, {});
    const commit = git(folder, 'rev-parse', 'HEAD').trim();
    git(folder, 'update-index', '--add', '--cacheinfo', `160000,${commit},vendor/sub`);
    git(folder, 'commit', '-q', '-m', 'submodule');
    await write(folder, { 'attune.yaml': after });
    const plan = async (ref: string) => documentOf(await run(['plan', '--base', ref, '--format', 'json']));
    expect(causes(await plan('HEAD'))).toEqual(usual);
    await write(folder, { 'attune.yaml': root('include: ["vendor/**/*.yaml"]') });
    git(folder, 'commit', '-q', '-m', 'include', 'attune.yaml');
    await write(folder, { 'attune.yaml': after });
    expect(warnings(await plan('HEAD'))).toEqual([
      expect.stringContaining(
        'vendor/sub is a submodule, and links and submodules of a revision are not read',
      ),
    ]);
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
    const { plan } = await world(
      { 'attune.yaml': root('include: [../secret.yaml]') },
      { 'attune.yaml': after },
    );
    await writeFile(join(tmpdir(), 'attune.repository.yaml'), '');
    onTestFinished(() => rm(join(tmpdir(), 'attune.repository.yaml'), { force: true }));
    expect(warnings(await plan('--base', 'main'))).toEqual([
      expect.stringContaining('"../secret.yaml" is outside the folder of the root file'),
    ]);
  });
});

describe('--only-changed', () => {
  test('a saved plan is applied without git and without the base, and its report has the causes', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const { code } = await run(['plan', '--base', 'main', '--only-changed', '--out', 'plan.json']);
    expect(code).toBe(0);
    await rm(join(folder, '.git'), { recursive: true });
    const applied = await run(['apply', '--plan', 'plan.json', '--yes', '--format', 'json'], folder, {
      ...env,
      PATH: '',
    });
    expect([applied.code, causes(JSON.parse(applied.stdout))]).toEqual([
      0,
      ['workspace.billing description: change', 'workspace.network tags: change'],
    ]);
    const { stdout } = await run(['plan', '--format', 'json']);
    expect(JSON.parse(stdout).changes.map(({ fields }: Plan['changes'][number]) => fields)).toEqual([
      [{ path: 'auto-apply', before: false, after: true }],
    ]);
  });

  test('a saved plan with --base alone is applied without git, with its causes', async () => {
    const { folder, run } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    await run(['plan', '--base', 'main', '--out', 'plan.json']);
    await rm(join(folder, '.git'), { recursive: true });
    const { code, stdout } = await run(['apply', '--plan', 'plan.json', '--yes', '--format', 'json']);
    expect([code, causes(JSON.parse(stdout))]).toEqual([0, usual]);
  });

  test('apply plans, asks and applies what changed only', async () => {
    const { run, emulator } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
    const { code } = await run(['apply', '--base', 'main', '--only-changed', '--yes']);
    expect(code).toBe(0);
    const writes = emulator.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method }) => method).sort()).toEqual(['DELETE', 'PATCH', 'POST']);
  });
});

test('the library takes a base', async () => {
  const { folder, emulator } = await world({ 'attune.yaml': before }, { 'attune.yaml': after });
  const { plans } = await planFiles([], {
    cwd: folder,
    env,
    address: emulator.url,
    base: 'main',
    onlyChanged: true,
  });
  expect(plans.flatMap(causes)).toEqual([
    'workspace.billing description: change',
    'workspace.network tags: change',
  ]);
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
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../dist/cli/bin.js'), 'plan', '--base', 'main', '--address', 'embedded'],
    {
      cwd: folder,
      env: { ...env, PATH: `${bin}:${env.PATH}`, TMPDIR: temporary, HOME: temporary },
      stdio: 'ignore',
    },
  );
  await vi.waitFor(() => expect(existsSync(join(folder, 'started'))).toBe(true), { timeout: 60_000 });
  const made = () =>
    readdir(temporary).then((names) => names.filter((name) => name.startsWith('attune-base-')));
  expect(await made()).toHaveLength(1);
  child.kill(signal);
  const [code] = await once(child, 'close');
  expect([code, await made()]).toEqual([exitCode, []]);
});
