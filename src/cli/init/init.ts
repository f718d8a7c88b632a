import { lstat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { readRegularFile, slashed } from '../../model/files.ts';
import { isRecord } from '../../model/value.ts';
import { embedded } from '../../service/address.ts';
import { makeFolders, sharedFile, writeFiles } from '../files/write-file.ts';
import type { Io } from '../io.ts';
import { runSession } from '../session/run-session.ts';
import { shellWord } from '../session/shell-word.ts';
import { extendedIgnores, scaffold } from './scaffold.ts';
import { type InitFlags, type Settled, settle } from './settle.ts';

/** Scaffolds a repository: the root file, `.gitignore`, the recipes for CI; with `--import` the files of what is live. */
export function init(place: string, flags: InitFlags, io: Io): Promise<number> {
  const common = { ...flags, format: 'text' } as const;
  return runSession(io, common, 'plan', async (session) => {
    const folder = resolve(io.cwd, place);
    const settled = await settle(flags, io);
    const texts = await scaffold(settled);
    const shown = (name: string) => slashed(relative(io.cwd, join(folder, name)));
    const standing = await standingOf([...texts.keys()], folder);
    if (!flags.force) refuseStanding(standing.map(shown));
    const ignores = await readIgnores(folder);

    let importCode = 0;
    if (settled.isImported) {
      const { importLive } = await import('../import/import.ts');
      const { organization, address } = settled;
      let isWritten = false;
      const importFlags = { ...common, organization, address, out: place, quiet: true };
      importCode = await importLive([], importFlags, io, () => {
        isWritten = true;
      });
      if (!isWritten) return importCode;
    }
    const extended = extendedIgnores(ignores ?? '');
    const changed = extended === ignores ? texts : new Map([...texts, ['.gitignore', extended]]);
    const paths = new Map([...changed].map(([name, text]) => [join(folder, name), text]));
    await makeFolders(paths.keys(), io.cwd);
    await writeFiles(paths, sharedFile);

    const outcome = (name: string) => {
      if (name === '.gitignore') return ignores === undefined ? 'created' : 'extended';
      return standing.includes(name) ? 'overwritten' : 'created';
    };
    const lines = [...changed.keys()].map((name) => `  ${outcome(name).padEnd(11)}  ${shown(name)}\n`);
    session.console.result(lines.join(''));
    for (const line of await nextSteps(settled, place, folder)) session.console.say(line);
    return importCode;
  });
}

async function standingOf(names: readonly string[], folder: string): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => ((await lstat(join(folder, name)).catch(() => undefined)) ? [name] : [])),
  );
  return found.flat();
}

function refuseStanding(standing: readonly string[]): void {
  if (standing.length === 0) return;
  throw new AttuneError(
    `${standing.join(', ')} ${standing.length === 1 ? 'exists' : 'exist'} already; nothing was written`,
    { code: 'file-exists', hint: '--force overwrites what is there, or name another folder' },
  );
}

async function readIgnores(folder: string): Promise<string | undefined> {
  try {
    return await readRegularFile(join(folder, '.gitignore'));
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new AttuneError(`.gitignore cannot be read: ${cause.message}`, { code: 'file-not-written', cause });
  }
}

/** What is left to do, as it is typed. */
async function nextSteps({ address, ci }: Settled, place: string, folder: string): Promise<string[]> {
  const secrets = { github: 'secrets', gitlab: 'masked variables' } as const;
  return [
    '',
    'Next:',
    ...(place === '.' ? [] : [`  cd ${shellWord(place)}`]),
    ...((await hasPackage(folder)) ? [] : ['  npm install --save-dev attune']),
    ...(address === embedded
      ? []
      : [`  export ATTUNE_TOKEN=...    # or: terraform login ${new URL(address).host}`]),
    '  npx attune validate',
    '  npx attune plan',
    ...(ci
      ? [`  make the ${secrets[ci]} ATTUNE_READ_TOKEN (plans) and ATTUNE_TOKEN (apply) for the recipes`]
      : []),
  ];
}

/** The recipes and the editor find Attune by the repository's own package.json. */
async function hasPackage(folder: string): Promise<boolean> {
  const text = await readRegularFile(join(folder, 'package.json')).catch(() => '{}');
  try {
    const { dependencies, devDependencies } = JSON.parse(text);
    return [dependencies, devDependencies].some((list) => isRecord(list) && 'attune' in list);
  } catch {
    return false;
  }
}
