import { execFileSync } from 'node:child_process';
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type World, worldWith } from '../support/attune.ts';

const root = (organization: string, ...names: string[]) =>
  `attune: 1\norganization: ${organization}\nworkspaces: {${names.map((name) => `${name}: {}`).join(', ')}}\n`;

const workspaces = { first: {} };

/** A world in which something happens at the first request of a method. */
async function worldThat(
  method: string,
  happens: (folder: string) => void,
  files: Readonly<Record<string, string>> = { 'attune.yaml': root('acme', 'a', 'b') },
): Promise<World> {
  let folder: string | undefined;
  const world = await worldWith(
    { ...files, 'out/.keep': '' },
    {
      seed: { organizations: { acme: { workspaces }, umbrella: { workspaces } } },
      log: (request) => {
        if (request.method !== method || folder === undefined) return;
        happens(folder);
        folder = undefined;
      },
    },
  );
  folder = world.folder;
  return world;
}

const removeOut = (folder: string) => rmSync(join(folder, 'out'), { recursive: true });

const apply = ['apply', '--yes', '--report', 'out/report.md'];
const failure = (folder: string) =>
  `${join(folder, 'out/report.md')} cannot be written: ENOENT: no such file or directory, open`;

test('an apply whose report cannot be written prints the result, the reason and the figures, and exits with 1', async () => {
  const { attune, folder, writes } = await worldThat('POST', removeOut);
  const { code, stdout, stderr } = await attune(...apply);
  expect([code, writes().length]).toEqual([1, 2]);
  expect(stdout).toContain(
    'Created:\n  + workspace.a\n  + workspace.b\n\nApplied: 2 created, 0 updated, 0 deleted. 2 calls.\n',
  );
  expect(stderr.replace(/ open '.*'$/m, ' open')).toBe(
    `error[file-not-written]: ${failure(folder)}\nUndo with: attune undo --last\nacme: Applied: 2 created, 0 updated, 0 deleted. 2 calls.\n`,
  );
});

test('apply --format json prints one document with the outcomes if a report cannot be written, and writes another one', async () => {
  const { attune, folder } = await worldThat('POST', removeOut);
  const { code, stdout } = await attune(...apply, '--report', 'other.md', '--format', 'json');
  expect([code, await readdir(folder)]).toEqual([1, ['.attune', 'attune.yaml', 'other.md']]);
  const { format, changes, diagnostics } = JSON.parse(stdout);
  expect(format).toBe('attune.apply/1');
  expect(changes.map(({ result }: { result: string }) => result)).toEqual(['done', 'done']);
  expect(diagnostics).toContainEqual({
    severity: 'error',
    code: 'file-not-written',
    message: expect.stringContaining(failure(folder)),
  });
});

test.each([
  ['plan', '--report', 'out/r.html'],
  ['drift', '--report', 'out/r.html'],
  ['plan', '--out', 'out/plan.json'],
])('%s with a file of %s that cannot be written prints one document', async (command, ...flags) => {
  const { attune } = await worldThat('GET', removeOut);
  const { code, stdout, stderr } = await attune(command, '--format', 'json', ...flags);
  const { format, changes, diagnostics } = JSON.parse(stdout);
  expect([code, format, changes.length]).toEqual([1, `attune.${command}/1`, 2]);
  expect(diagnostics.at(-1).code).toBe('file-not-written');
  expect(stderr).toBe('');
});

const journaled = ['apply', '--yes', '--parallelism', '1', '--journal', 'run.jsonl'];
const hint =
  'check that the disk has space and that nothing removes the file, or choose another file for the journal, then run again; calls that are not in the journal are not sent';

test.each([
  ['deleted', (file: string) => rmSync(file), 'it was deleted during the run'],
  ['moved away', (file: string) => renameSync(file, `${file}.moved`), 'it was moved during the run'],
])(
  'a journal that is lost during the run stops the apply before the next call without a line about undo, because it was %s',
  async (_name, lose, why) => {
    const { attune, folder, writes } = await worldThat('POST', (folder) => lose(join(folder, 'run.jsonl')));
    const { code, stdout, stderr } = await attune(...journaled);
    expect([code, writes()]).toEqual([1, ['POST /organizations/acme/workspaces']]);
    const reason = `cannot write the journal ${join(folder, 'run.jsonl')}: ${why}`;
    expect(stdout.slice(stdout.indexOf('\nCreated:'))).toBe(`
Created:
  + workspace.a

Skipped:
  + workspace.b
      not attempted: the journal cannot be written

Applied: 1 created, 0 updated, 0 deleted, 0 failed, 1 skipped. 1 call completed.
`);
    const incomplete =
      'Apply incomplete: 1 skipped of 2 changes. Completed changes are kept; run the command again to retry.';
    expect(stderr).toBe(`error[journal-not-written]: ${reason}\n  hint: ${hint}\n${incomplete}\n`);
  },
);

test('a lost journal also stops the apply of the following organizations', async () => {
  const { attune, writes } = await worldThat('POST', (folder) => rmSync(join(folder, 'run.jsonl')), {
    'one.yaml': root('acme', 'a', 'b', 'c'),
    'two.yaml': root('umbrella', 'd'),
  });
  const { code, stdout } = await attune(...journaled, '--format', 'json', 'one.yaml', 'two.yaml');
  expect([code, writes()]).toEqual([1, ['POST /organizations/acme/workspaces']]);
  const { plans } = JSON.parse(stdout) as { plans: { changes: { result: string }[] }[] };
  expect(plans.map(({ changes }) => changes.map(({ result }) => result))).toEqual([
    ['done', 'skipped', 'skipped'],
    ['skipped'],
  ]);
});

test('a journal that loses only its last record makes the exit code 1, and the apply is shown as done', async () => {
  const { attune } = await worldThat('POST', (folder) => rmSync(join(folder, 'run.jsonl')), {
    'attune.yaml': root('acme', 'a'),
  });
  const { code, stdout } = await attune('apply', '--yes', '--journal', 'run.jsonl', '--format', 'json');
  const { changes, diagnostics } = JSON.parse(stdout);
  expect([code, changes[0].result, diagnostics[0].code]).toEqual([1, 'done', 'journal-not-written']);
});

test.skipIf(process.platform === 'win32').each([
  ['plan', '--out', 'pipe'],
  ['apply', '--report', 'pipe.md'],
])('%s %s does not replace a named pipe', async (command, flag, name) => {
  const { attune, folder, requests } = await worldWith(root('acme', 'a'), { organization: 'acme' });
  execFileSync('mkfifo', [join(folder, name)]);
  const { code, stderr } = await attune(command, flag, name);
  expect([code, requests()]).toEqual([1, []]);
  expect(stderr).toContain(
    `error[file-not-written]: ${flag} ${name} cannot be written: it is not a regular file\n`,
  );
  expect(lstatSync(join(folder, name)).isFIFO()).toBe(true);
});
