import { cpSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, serviceWith } from './support/attune.ts';
import { playScript, type Stage } from './support/play.ts';

/**
 * Numbered folders, one scenario each: `attune.yaml` (with its includes), `seed.yaml` with the live state, and `run.txt`, a
 * script of commands and what they print. `UPDATE_SCENARIOS=1` writes what is printed now, to be read before it is committed.
 * `clock: <time>` before the commands is their time.
 *
 * Every scenario ends with an apply after which the next plan is empty, unless `run.txt` has `invariants: off` and a reason.
 */
const scenarios = join(import.meta.dirname, 'scenarios');

for (const name of (await readdir(scenarios)).sort()) {
  const source = join(scenarios, name);
  test(`${name} ${title(join(source, 'run.txt'))}`, async () => {
    const folder = await folderWith({});
    cpSync(source, folder, { recursive: true });
    const script = await readFile(join(source, 'run.txt'), 'utf8');
    const dialect = /^dialect: terraform$/m.test(script) ? 'terraform' : 'iac';
    const service = await serviceWith({ seed: join(folder, 'seed.yaml'), dialect });
    const at = /^clock: (.*)$/m.exec(script)?.[1];
    const stage: Stage = { folder, services: { service }, at };
    const played = await playScript(script, stage);
    // In the names of journals.
    const now = played.replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?/g, '<time>');
    if (process.env.UPDATE_SCENARIOS) await writeFile(join(source, 'run.txt'), now);
    else expect(now).toBe(script);

    if (/^invariants: off/m.test(script)) return;
    const isEmpty = /^Plan: 0 to create, 0 to update, 0 to delete/m;
    const applied = await playScript('$ attune apply --yes --quiet --max-deletes 1000  # writes\n', stage);
    expect(applied).not.toMatch(/^\[exit/m);
    const again = isEmpty.test(applied)
      ? applied
      : await playScript('$ attune apply --yes --quiet  # writes\n', stage);
    expect(again).toMatch(isEmpty);
    expect(again).not.toContain('[request');
  });
}

test('every scenario has its own number', async () => {
  const numbers = (await readdir(scenarios)).map((name) => name.slice(0, 3));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

/** The first line of a script is its title. */
function title(file: string): string {
  return readFileSync(file, 'utf8').split('\n')[0] ?? '';
}
