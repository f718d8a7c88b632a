import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fault, startEmulator } from '../../src/emulator/index.ts';
import { dialects } from '../../src/model/dialect.ts';
import { maxSkipsPerRun } from '../properties/pairs.ts';
import { folderWith } from '../support/attune.ts';
import { cases, count } from '../support/cases.ts';
import { forgiven } from './forgiven.ts';
import { type Generated, organizations } from './generated.ts';
import { commandsOn, liveState } from './live-state.ts';

test.each(dialects)(
  'apply --journal and undo leave everything as it was in the %s dialect, but for what is listed',
  async (dialect) => {
    const folder = await folderWith({});
    const property = async ({ seed, configuration }: Generated, trouble: Trouble) => {
      const service = await startEmulator({ seed: seed as never, dialect, edition: 'self-hosted' });
      try {
        const go = commandsOn(service, folder);
        await writeFile(join(folder, 'root.yaml'), JSON.stringify(configuration));
        for (const name of ['run', 'undo']) await rm(join(folder, `${name}.ndjson`), { force: true });
        const state = { url: service.url, dialect };
        const before = await liveState(state);
        service.setFaults(trouble.faults);
        const applied = await go('apply', 'root.yaml', '--yes', '--journal', 'run.ndjson');
        service.setFaults([]);
        // Some pairs are refused before anything is written.
        if (!applied.stdout.includes('Plan: ')) fc.pre(false);
        const after = await liveState(state);
        if (trouble.isCutOff) await forgetOutcomes(join(folder, 'run.ndjson'));

        const back = await go('undo', 'run.ndjson', '--yes', '--journal', 'undo.ndjson');
        const restored = await liveState(state);
        expect(forgiven(restored, back.stderr), back.stdout + back.stderr + applied.stdout).toEqual(
          forgiven(before, back.stderr),
        );
        expect(back.code, back.stdout + back.stderr).toBe(0);
        count('applies undone');

        service.clearRequests();
        const again = await go('undo', 'run.ndjson', '--yes');
        expect(again.code, again.stdout + again.stderr).toBe(0);
        expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);

        const redone = await go('undo', 'undo.ndjson', '--yes');
        expect(
          forgiven(await liveState(state), back.stderr + redone.stderr),
          redone.stdout + redone.stderr,
        ).toEqual(forgiven(after, back.stderr + redone.stderr));
        expect(await readFile(join(folder, 'undo.ndjson'), 'utf8')).not.toContain('test-token');
      } finally {
        await service.stop();
      }
    };
    const options = { ...cases<[Generated, Trouble]>({ fast: 1, soak: 12 }), maxSkipsPerRun };
    await fc.assert(fc.asyncProperty(organizations(dialect), troubles, property), options);
  },
);

interface Trouble {
  readonly faults: readonly Fault[];
  /** The journal holds no outcome of any call, as that of a run that was killed lacks those of its last. */
  readonly isCutOff: boolean;
}

/** Whatever goes wrong on the way: what took effect is undone, and nothing else. */
const troubles: fc.Arbitrary<Trouble> = fc.record({
  faults: fc.option(
    fc
      .tuple(
        fc.constantFrom('cut-before', 'cut-after', 'half-body', 'html', 'status'),
        fc.integer({ min: 1, max: 12 }),
      )
      .map(([kind, nth]): Fault[] =>
        ['POST', 'PATCH', 'DELETE'].map((method) => ({ kind, method, nth, times: 30 })),
      ),
    { nil: [], freq: 2 },
  ),
  isCutOff: fc.boolean(),
});

async function forgetOutcomes(file: string): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const calls = lines.filter((line) => line !== '' && !/"record":"(outcome|end)"/.test(line));
  await writeFile(file, `${calls.join('\n')}\n{"record":"outco`);
}
