import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Dialect, dialects } from '../../src/model/dialect.ts';
import { worldWith } from '../support/attune.ts';
import { isSoak } from '../support/cases.ts';

const root = join(import.meta.dirname, '..', '..');
const seeds = ['test/scenarios', 'examples']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name, 'seed.yaml')))
  .filter((seed) => existsSync(join(root, seed)));
/** What the live service of a dialect does not take, so that it cannot be live there. */
const refused = ['iac test/scenarios/028-project-readers/seed.yaml'];

test('the folder of seeds has seeds to import', () => {
  expect(seeds.length).toBeGreaterThan(20);
});

/** The fast tier imports every twelfth seed in one of the dialects, the soak tier each seed in both. */
function seedsOf(dialect: Dialect): string[] {
  const other = dialects.find((one) => one !== dialect);
  return seeds
    .filter(
      (seed, index) =>
        isSoak ||
        (index % 12 === 0 &&
          (dialects[(index / 12) % 2] === dialect || refused.includes(`${other} ${seed}`))),
    )
    .filter((seed) => !refused.includes(`${dialect} ${seed}`));
}

describe.each(dialects)('in the %s dialect', (dialect) => {
  test.each(seedsOf(dialect))(
    `after an import of %s in the ${dialect} dialect the plan is empty, and another import has the same bytes`,
    async (seed) => {
      const world = await worldWith({}, { seed: join(root, seed), dialect });
      const imported = await world.attune('import', '--organization', 'acme');
      expect(imported.code, imported.stderr).toBe(0);
      const planned = await world.attune('plan', '--detailed-exitcode');
      expect([planned.code, planned.stdout], planned.stderr).toEqual([
        0,
        expect.stringContaining('0 calls.'),
      ]);
      expect(world.writes()).toEqual([]);

      const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
      const again = await world.attune('import', '--force');
      expect(again.stdout).not.toMatch(/overwritten|created/);
      expect(await readFile(join(world.folder, 'attune.yaml'), 'utf8')).toBe(text);
    },
  );
});
