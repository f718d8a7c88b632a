import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { root } from '../support/pages.ts';
import { linkPackages } from '../support/program-folder.ts';
import { follow, walkthroughs } from '../support/walkthrough.ts';

test.each(walkthroughs('integration'))(
  'the commands of the walkthrough %s print what the page shows',
  (page) => follow(page, installPackages),
);

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
