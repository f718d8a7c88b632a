import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { dialects } from '../../src/model/dialect.ts';
import { maxSkipsPerRun } from '../properties/pairs.ts';
import { folderWith, type Ran } from '../support/attune.ts';
import { cases, count, isSoak } from '../support/cases.ts';
import { forgiven } from './forgiven.ts';
import { type Generated, organizations } from './generated.ts';
import { commandsOn, liveState } from './live-state.ts';
import { rootFiles } from './root-files.ts';

const globs = ['workspace.alpha', 'workspace.[a-d]*', 'workspace.*', 'team-access.*', '*'];

/** The commands of each way to apply; the files that they name are those of {@link rootFiles}. */
const ways = {
  'apply --only': (glob) => [['apply', 'root.yaml', '--only', glob, '--yes']],
  'apply --plan': () => [
    ['plan', 'root.yaml', '--out', 'plan.json'],
    ['apply', 'root.yaml', '--plan', 'plan.json', '--yes'],
  ],
  watch: () => [['watch', 'root.yaml', '--once', '--heal', 'all']],
  'apply with two root files': () => [['apply', 'rest.yaml', 'access.yaml', '--yes']],
} satisfies Record<string, (glob: string) => readonly (readonly string[])[]>;

/** Other tests of the fast tier undo runs of `apply` and of several root files. */
const tried = Object.entries(ways).filter(([way]) => isSoak || way === 'apply --plan' || way === 'watch');

// The soak tier runs both dialects.
const runs = (isSoak ? dialects : (['terraform'] as const)).flatMap((dialect) =>
  tried.map(([way, commands]) => ({ dialect, way, commands })),
);

test.each(runs)(
  'the journal of $way with names instead of ids can be undone in the $dialect dialect',
  async ({ dialect, commands }) => {
    const folder = await folderWith({});
    const property = async (generated: Generated, glob: string) => {
      const { seed } = generated;
      const service = await startEmulator({ seed: seed as never, dialect, edition: 'self-hosted' });
      try {
        const go = commandsOn(service, folder);
        for (const [name, content] of Object.entries(rootFiles(generated)))
          await writeFile(join(folder, name), JSON.stringify(content));
        await rm(join(folder, '.attune'), { recursive: true, force: true });
        const state = { url: service.url, dialect };
        const before = await liveState(state);
        for (const command of commands(glob)) await go(...command);
        const journals = await readdir(join(folder, '.attune', 'journal')).catch(() => []);
        // Some pairs are refused, or nothing differs.
        if (journals.length === 0) fc.pre(false);

        // `watch` writes a second journal if its second cycle deletes something.
        const backs: Ran[] = [];
        for (const journal of journals.sort().reverse())
          backs.push(await go('undo', `.attune/journal/${journal}`, 'root.yaml', '--yes'));
        const back = {
          code: Math.max(...backs.map(({ code }) => code)),
          stdout: backs.map(({ stdout }) => stdout).join(''),
          stderr: backs.map(({ stderr }) => stderr).join(''),
        };
        const restored = await liveState(state);
        expect(forgiven(restored, back.stderr), back.stdout + back.stderr).toEqual(
          forgiven(before, back.stderr),
        );
        expect(back.code, back.stdout + back.stderr).toBe(0);
        count('runs with names undone');
      } finally {
        await service.stop();
      }
    };
    await fc.assert(fc.asyncProperty(organizations(dialect), fc.constantFrom(...globs), property), {
      ...cases({ fast: 1, soak: 15 }),
      maxSkipsPerRun,
    });
  },
);
