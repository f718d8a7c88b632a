import { lstat, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { withoutSecrets } from '../../service/token.ts';
import type { Environment } from '../context.ts';

export interface Git {
  readonly top: string;
  /** The folder that was asked for, by its path in the repository: links in the repository are part of what it contains. */
  readonly folder: string;
  run(
    args: readonly string[],
    options?: { readonly input?: string; readonly most?: number },
  ): Promise<Buffer>;
}

/**
 * The repository may be that of a stranger. Objects are read as they are: nothing here checks files out, so no filter and no
 * hook runs. What could run a program all the same is off, and nothing is fetched.
 */
const settings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'protocol.allow=never',
  // A folder under review can look like a repository.
  'safe.bareRepository=explicit',
];

export async function openGit(folder: string, work: string, env: Environment): Promise<Git | undefined> {
  const found = await repositoryOf(folder);
  if (found === undefined) return undefined;
  const { top } = found;
  const { execFile } = await import('node:child_process');
  const before = ['-C', top, '--no-pager', ...settings.flatMap((setting) => ['-c', setting])];
  return {
    ...found,
    run: (args, { input = '', most = 1024 * 1024 } = {}) =>
      new Promise((resolve, reject) => {
        const options = {
          // Windows also searches the working folder for the program.
          cwd: work,
          env: cleanEnvironment(env, top),
          encoding: 'buffer',
          maxBuffer: most,
          windowsHide: true,
        } as const;
        const child = execFile('git', [...before, ...args], options, (error, stdout, stderr) => {
          if (error) reject(failure(error, String(stderr), args[0] ?? 'git'));
          else resolve(stdout);
        });
        // A program that ends early does not read its input.
        child.stdin?.on('error', () => {});
        child.stdin?.end(input);
      }),
  };
}

/** Follows links that lead to a repository, and none in it: a change under review can replace a folder by a link to another one. */
async function repositoryOf(folder: string): Promise<Pick<Git, 'top' | 'folder'> | undefined> {
  const { root } = parse(folder);
  let [at, top, isLinked] = [root, await repositoryAt(root), false];
  for (const part of folder.slice(root.length).split(sep)) {
    at = join(at, part);
    if (top === undefined) {
      at = await realpath(at);
      top = await repositoryAbove(at);
      continue;
    }
    isLinked ||= (await lstat(at)).isSymbolicLink();
    if (!isLinked) top = (await repositoryAt(at)) ?? top;
  }
  return top === undefined ? undefined : { top, folder: at };
}

async function repositoryAbove(folder: string): Promise<string | undefined> {
  const found = await repositoryAt(folder);
  return found !== undefined || dirname(folder) === folder ? found : repositoryAbove(dirname(folder));
}

async function repositoryAt(folder: string): Promise<string | undefined> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) ? folder : undefined;
}

/** Without variables that change what `git` reads or runs, and without secrets. */
function cleanEnvironment(env: Environment, top: string): Record<string, string | undefined> {
  const kept = Object.entries(withoutSecrets(env)).filter(([name]) => !/^GIT_/i.test(name));
  const path = kept.map(([name, value]) =>
    name.toUpperCase() === 'PATH' ? [name, absolutePaths(value)] : [name, value],
  );
  return {
    ...Object.fromEntries(path),
    ...configFiles(env),
    GIT_CEILING_DIRECTORIES: dirname(top),
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** Where the user and the system keep their settings, such as `safe.directory`. */
function configFiles(env: Environment): Record<string, string> {
  const names = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function absolutePaths(path = ''): string {
  return path.split(delimiter).filter(isAbsolute).join(delimiter);
}

function failure(error: Error & { code?: unknown }, stderr: string, command: string): AttuneError {
  const { code } = error;
  if (code === 'ENOENT')
    return unreadable('`git` is not installed', 'install git, or compare with a folder', error);
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return unreadable(
      `the revision is too large: \`git ${command}\` prints more than Attune reads`,
      undefined,
      error,
    );
  const [first = ''] = stderr.split('\n').filter((line) => line.trim() !== '');
  const why = first.replace(/^(fatal|error): /, '').slice(0, 300) || error.message.slice(0, 300);
  return unreadable(`\`git ${command}\` failed: ${why}`, undefined, error);
}

export function unreadable(message: string, hint?: string, cause?: unknown): AttuneError {
  return new AttuneError(message, { code: 'base-unreadable', cause, ...(hint !== undefined && { hint }) });
}
