import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, textOf } from '../support/pages.ts';
import { follow, walkthroughs } from '../support/walkthrough.ts';
import { linkPackages } from './library/consumer.ts';

describe('walkthroughs', () => {
  test.each(walkthroughs('integration'))(
    'the commands of the walkthrough %s print what the page shows',
    (page) => follow(page, installPackages),
  );

  test('docs/guides/index.md lists all walkthroughs, and each is run', () => {
    const listed = [...textOf('docs/guides/index.md').matchAll(/^\| .* \| \[[^\]]*\]\(([^)]+)\) \|$/gm)];
    const run = [...walkthroughs('fast'), ...walkthroughs('integration')];
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.map(([, file]) => `docs/guides/${file}`).filter((page) => !run.includes(page))).toEqual([]);
  });
});

/** What the pages install: the built package and packages beside it, with their commands. */
function installPackages(folder: string): void {
  const others = ['constructs', 'typescript', 'vitest'].map((name) => [
    name,
    join(root, 'node_modules', name),
  ]);
  linkPackages(folder, { attune: root, ...Object.fromEntries(others) });
  const commands = join(folder, 'node_modules', '.bin');
  mkdirSync(commands);
  for (const name of ['tsc', 'vitest'])
    symlinkSync(join(root, 'node_modules', '.bin', name), join(commands, name));
}
