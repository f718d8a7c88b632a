import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = join(import.meta.dirname, '..', '..');

test('docs/guides/import.md shows the import of the quick start', async () => {
  const page = await readFile(join(root, 'docs', 'guides', 'import.md'), 'utf8');
  const [, name = '', shown] = /\*\*`(\S+)`\*\*\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const world = await worldWith(
    { 'package.json': '{"devDependencies": {"attune": "1"}}' },
    { seed: join(root, 'examples', 'quickstart', 'seed.yaml') },
  );
  const { code, stderr } = await world.attune('import', '--organization', 'acme');
  expect(code, stderr).toBe(0);
  expect(await readFile(join(world.folder, name), 'utf8')).toBe(shown);
});
