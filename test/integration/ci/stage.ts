import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import type { Emulator } from '../../../src/emulator/index.ts';
import { folderWith, type Ran, serviceWith } from '../../support/attune.ts';

export const root = join(import.meta.dirname, '..', '..', '..');
export const recipes = join(root, 'examples', 'ci');
const bin = join(root, 'dist', 'cli', 'bin.js');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** What the service knows the two tokens of the recipes as: one reads, one may write. */
export const tokens = { read: 'read-only-secret', write: 'may-write-secret' } as const;

const seed = {
  organization: 'acme',
  tokens: { [tokens.read]: { role: 'reader' }, [tokens.write]: { role: 'owner' } },
  workspaces: { network: { tags: ['staging'] }, old: {}, bystander: {} },
  projects: { Main: 'prj-main' },
  teams: { contractors: 'team-contractors' },
  'team-access': { Main: { contractors: 'write' } },
} as const;

const declared = `workspaces:
  network: {auto-apply: true, tags: [prod]}
  new: {}
  old: {state: absent}
limits: {delete-percent: 100}
`;

/** Access of the seed that has ended, beside a workspace that is not created. */
export const ended = `workspaces: {new: {}}
teams: {contractors: team-contractors}
projects: {main: prj-main}
team-access: {main: {contractors: {access: write, until: 2026-01-31}}}
`;

export interface Step {
  readonly uses?: string;
  readonly name?: string;
  readonly id?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A checked-out repository, a service that it is about, and the programs that its jobs call. */
export interface Stage {
  readonly folder: string;
  readonly service: Emulator;
  /** Replaces what the configuration declares and commits it, as the job's checkout would hand it over. */
  commit(text: string): Promise<void>;
  /** Runs lines in a shell as a CI job does, with the programs of the stage first on its path. */
  shell(script: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Runs the lines of a step; `values` has the value of each expression of its environment. */
  step(step: Step | undefined, values?: Readonly<Record<string, string>>): Promise<StepEnd>;
  /** The command lines of Attune so far. */
  commands(): Promise<string[]>;
  /** The requests that write, as `METHOD /path`. */
  writes(): string[];
}

export interface StepEnd {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** @param programs further programs for the path: the lines of a shell script by name */
export async function stageWith(programs: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const service = await serviceWith({ seed });
  const home = await folderWith({ 'repository/.keep': '', 'temp/.keep': '', 'bin/.keep': '' });
  const folder = join(home, 'repository');
  const log = join(home, 'commands.txt');
  const all = {
    npx: npxOf(folder, join(home, 'attune')),
    node: `exec '${process.execPath}' "$@"`,
    ...programs,
  };
  await writeFile(
    join(home, 'attune'),
    `#!/bin/sh\necho "$*" >> '${log}'\nexec '${process.execPath}' '${bin}' "$@"\n`,
  );
  await chmod(join(home, 'attune'), 0o755);
  for (const [name, lines] of Object.entries(all))
    await writeFile(join(home, 'bin', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  const path = [join(home, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  const files = { GITHUB_OUTPUT: join(home, 'output.txt'), GITHUB_STEP_SUMMARY: join(home, 'summary.md') };
  const base = {
    PATH: path.join(delimiter),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    RUNNER_TEMP: join(home, 'temp'),
    ...files,
  };
  const shell: Stage['shell'] = async (script, env = {}) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...base, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await closed;
    return { code, stdout, stderr };
  };
  const stage: Stage = {
    folder,
    service,
    shell,
    step: async (step, values = {}) => {
      for (const file of Object.values(files)) await writeFile(file, '');
      const { ATTUNE_TOKEN = '', ...given } = values;
      const env = Object.entries(step?.env ?? {}).map(([name, value]) => [name, filled(value, given)]);
      const { code, stdout, stderr } = await shell(step?.run ?? '', {
        ...{ ATTUNE_TOKEN, GITHUB_ACTIONS: 'true', NPM_CONFIG_IGNORE_SCRIPTS: 'true' },
        ...github,
        ...Object.fromEntries(env),
      });
      const lines = (await readFile(files.GITHUB_OUTPUT, 'utf8')).split('\n').filter((line) => line !== '');
      const outputs = lines.map((line) => /^([^=]*)=(.*)$/.exec(line)?.slice(1) ?? []);
      const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8');
      return { code, log: stdout + stderr, summary, outputs: Object.fromEntries(outputs) };
    },
    commit: async (text) => {
      const head = `attune: 1\norganization: acme\nservice: {address: "${service.url}"}\n`;
      await writeFile(join(folder, 'attune.yaml'), head + text);
      const who = '-c user.name=test -c user.email=test@example.com';
      const { code, stderr } = await shell(
        // The first commit is the target branch, without a configuration.
        `git init -q . && (git rev-parse -q --verify HEAD || git ${who} commit -qm first --allow-empty) && git add attune.yaml && git ${who} commit -qm change --allow-empty`,
      );
      if (code !== 0) throw new Error(stderr);
    },
    commands: async () =>
      (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    writes: () =>
      service.requests
        .map(({ method, path }) => `${method} ${path}`)
        .filter((request) => !request.startsWith('GET ')),
  };
  await mkdir(join(folder, 'ci'));
  await stage.commit(declared);
  return stage;
}

const github = { GITHUB_REPOSITORY: 'acme/infrastructure', GITHUB_SHA: 'merged', GITHUB_REF_NAME: 'main' };

/** Expressions are not evaluated: a value is given for each. */
function filled(value: string, values: Readonly<Record<string, string>>): string {
  return String(value).replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    // GitHub passes an empty text for a secret that does not exist.
    const found = values[expression] ?? (expression.startsWith('secrets.') ? '' : undefined);
    if (found === undefined) throw new Error(`no value is given for ${expression}`);
    return found;
  });
}

interface GitHubJob {
  readonly environment?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly concurrency?: object;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, GitHubJob>>;
}

export async function readWorkflow(name: string): Promise<Workflow> {
  return parse(await readFile(join(recipes, 'github', name), 'utf8'));
}

interface GitLabJob {
  readonly script?: readonly string[];
  readonly parallel?: number;
  readonly environment?: string;
  readonly resource_group?: string;
}

interface Pipeline {
  readonly variables: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, GitLabJob>>;
  /** The lines that a job runs. */
  lines(job: string): string;
}

export async function readPipeline(name = '.gitlab-ci.yml'): Promise<Pipeline> {
  const {
    variables,
    default: common,
    ...jobs
  } = parse(await readFile(join(recipes, 'gitlab', name), 'utf8'));
  return { variables, jobs, lines: (job) => [...common.before_script, ...jobs[job].script].join('\n') };
}

/** Runs the released version with the files of a folder outside of the checkout, and without install scripts. */
function npxOf(checkout: string, program: string): string {
  return `
prefix=
while [ "\${1#--}" != "$1" ]; do
  case "$1" in --yes) ;; --ignore-scripts) NPM_CONFIG_IGNORE_SCRIPTS=true ;; --prefix) prefix=$2; shift ;; *) echo "npx $1?" >&2; exit 9 ;; esac
  shift
done
case "$prefix/" in "${checkout}"/*) echo "npx uses $prefix, which belongs to the checkout" >&2; exit 9 ;; /*) ;; *) exit 9 ;; esac
case "$1 $NPM_CONFIG_IGNORE_SCRIPTS" in "attune@${version} true") ;; *) echo "npx $1?" >&2; exit 9 ;; esac
shift
exec '${program}' "$@"`;
}

/** `gh` has jq built in; its stub asks the one that is installed. */
export const hasJq = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'jq')));

/**
 * Replaces `gh`: answers reads by the last part of their path, filters them as `gh` does, and prints all other calls.
 * `gh run download` copies the folder `artifacts` of the repository.
 */
export function ghWith(answers: Readonly<Record<string, unknown>>): string {
  const documents = Object.entries(answers).map(
    ([path, answer]) => `*/${path}) document='${JSON.stringify(answer)}' ;;`,
  );
  return `
test -n "$GH_TOKEN" && test -z "$ATTUNE_TOKEN" || exit 9
case "$*" in *--method*|issue*|label*) echo "gh $*"; exit 0 ;; run*) while [ "$1" != --dir ]; do shift; done; cp -r artifacts "$2"; exit 0 ;; esac
while [ "$#" -gt 0 ]; do
  case "$1" in --jq) filter=$2; shift ;; repos/*) path=\${1%%\\?*} ;; esac
  shift
done
case "$path" in ${documents.join(' ')} *) echo "gh: no such path: $path" >&2; exit 1 ;; esac
printf %s "$document" | jq -r "$filter"`;
}
