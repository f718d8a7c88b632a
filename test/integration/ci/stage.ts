import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Emulator } from '../../../src/emulator/index.ts';
import { folderWith, type Ran, serviceWith } from '../../support/attune.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
export const recipes = join(import.meta.dirname, '..', '..', '..', 'examples', 'ci');
const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'),
);

/** What the service knows the two tokens of the recipes as: one reads, one may write. */
export const tokens = { read: 'read-only-secret', write: 'may-write-secret' } as const;

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre' },
  tokens: { [tokens.read]: { role: 'reader', teams: ['team-sre'] }, [tokens.write]: { role: 'owner' } },
  workspaces: {
    network: { tags: ['staging'], 'remote-state-consumers': ['app'] },
    app: {},
    old: {},
    bystander: { tags: ['other'] },
  },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

export const declared = `projects: {platform: prj-platform}
workspaces:
  network: {auto-apply: true, tags: [prod], remote-state-consumers: [app, new]}
  new: {}
  old: {state: absent}
team-access: {platform: {team-sre: admin}}
limits: {delete-percent: 100}
`;

/** A checked-out repository, a service that it is about, and the programs that its jobs call. */
export interface Stage {
  readonly folder: string;
  readonly service: Emulator;
  /** Replaces what the configuration declares and commits it, as the job's checkout would hand it over. */
  commit(text: string): Promise<void>;
  /** Runs lines in a shell as a CI job does, with the programs of the stage first on its path. */
  shell(script: string, env: Readonly<Record<string, string>>): Promise<Ran>;
  /** The command lines of Attune so far. */
  commands(): Promise<string[]>;
  /** Changes the live state without Attune. */
  changeManually(method: 'PATCH' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<void>;
  /** The requests since the last call, as `METHOD /path`, that write. */
  writes(): string[];
}

/** @param programs further programs for the path: the lines of a shell script by name */
export async function stageWith(programs: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const service = await serviceWith({ seed });
  const root = await folderWith({ 'home/.keep': '', 'repository/.keep': '' });
  const folder = join(root, 'repository');
  const log = join(root, 'commands.txt');
  const all = {
    npm: npmOf(folder, join(root, 'attune')),
    node: `exec '${process.execPath}' "$@"`,
    ...programs,
  };
  // What npm puts into node_modules/.bin.
  await writeFile(
    join(root, 'attune'),
    `#!/bin/sh\necho "$*" >> '${log}'\nexec '${process.execPath}' '${bin}' "$@"\n`,
    { mode: 0o755 },
  );
  await mkdir(join(root, 'bin'));
  for (const [name, lines] of Object.entries(all)) {
    await writeFile(join(root, 'bin', name), `#!/bin/sh\n${lines}\n`);
    await chmod(join(root, 'bin', name), 0o755);
  }
  const path = [join(root, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(
    delimiter,
  );
  const base = { PATH: path, HOME: join(root, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
  const shell: Stage['shell'] = async (script, env) => {
    const argv = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    return finished(
      spawn('bash', argv, { cwd: folder, env: { ...base, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  };
  const send = async (method: string, where: string, body?: unknown) => {
    const response = await fetch(`${service.url}/api/v2${where}`, {
      method,
      headers: { authorization: `Bearer ${tokens.write}`, 'content-type': 'application/vnd.api+json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`);
    return response;
  };
  const stage: Stage = {
    folder,
    service,
    shell,
    commit: async (text) => {
      const head = `attune: 1\norganization: acme\nservice: {address: "${service.url}"}\n`;
      await writeFile(join(folder, 'attune.yaml'), head + text);
      const who = '-c user.name=test -c user.email=test@example.com';
      const git = await shell(
        // The first commit is the target branch, without a configuration.
        `git init -q . && (git rev-parse -q --verify HEAD || git ${who} commit -qm first --allow-empty) && git add attune.yaml && git ${who} commit -qm change --allow-empty`,
        {},
      );
      if (git.code !== 0) throw new Error(git.stderr);
    },
    commands: async () =>
      (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    changeManually: async (method, where, body) => {
      await send(method, where, body);
      service.clearRequests();
    },
    writes: () => {
      const all = service.requests.map((request) => `${request.method} ${request.path}`);
      service.clearRequests();
      return all.filter((request) => !request.startsWith('GET '));
    },
  };
  await stage.commit(declared);
  return stage;
}

/** Installs the released version into a folder outside of the checkout, which is also its working folder, and nothing else. */
function npmOf(checkout: string, program: string): string {
  return `
case "$*" in "install --ignore-scripts "*" attune@${version}") ;; *) echo "npm $*?" >&2; exit 9 ;; esac
while [ "$1" != --prefix ]; do shift; done
for folder in "$2" "$PWD"; do
  case "$folder/" in "${checkout}"/*) echo "npm runs in $folder, which belongs to the checkout" >&2; exit 9 ;; /*) ;; *) exit 9 ;; esac
done
# Where variables are given to steps and not to whole jobs, what is installed gets no token to see.
test -z "$GITHUB_ACTIONS" || test -z "$ATTUNE_TOKEN$GH_TOKEN" || exit 9
mkdir -p "$2/node_modules/.bin"
cp '${program}' "$2/node_modules/.bin/attune"`;
}

async function finished(child: ReturnType<typeof spawn>): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
