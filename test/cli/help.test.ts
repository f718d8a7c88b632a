import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { isShared } from '../../src/cli/flags.ts';
import { attune, folderWith } from '../support/attune.ts';
import { program, unknownIn } from '../support/command-line.ts';
import { rowsIn } from '../support/rows.ts';

interface Entry {
  /** Without the program's name. */
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command that a user is shown, at every level. */
function entries(command: Command, path: readonly string[] = []): Entry[] {
  const below = command.createHelp().visibleCommands(command);
  return [{ path, command }, ...below.flatMap((one) => entries(one, [...path, one.name()]))];
}
const all = entries(program);

test.each(all.map((entry) => ({ ...entry, name: ['attune', ...entry.path].join(' ') })))(
  '$name --help goes to stdout, has flags, arguments and existing examples of the command, ends with a page to read, and fits on a screen',
  async ({ path, command, name }) => {
    const { code, stdout, stderr } = await attune([...path, '--help'], { cwd: await folderWith({}) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${name}`);
    expect(command.description()).not.toBe('');
    const help = command.createHelp();
    for (const { flags, description } of help.visibleOptions(command)) {
      expect(stdout).toContain(flags);
      expect(description).not.toBe('');
    }
    for (const argument of command.registeredArguments) expect(argument.description).not.toBe('');
    const [, shared, page] =
      /\nExamples:\n(?: {2}\$ .*\n)+\n(Shared flags: attune help options\n)?Learn more: (\S+)\n$/.exec(
        stdout,
      ) ?? [];
    expect(shared !== undefined).toBe(command.options.some(isShared));
    if (path.length === 0) expect(stdout).toMatch(/\n\nRun "attune COMMAND --help" for .*\n$/);
    else expect(existsSync(join(import.meta.dirname, '..', '..', page ?? '(no page)'))).toBe(true);

    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);

    const examples = [...stdout.matchAll(/^ {2}\$ .*?\battune( [^|>)\n]*)/gm)].map(([, rest = '']) =>
      rest.trim(),
    );
    expect(examples.some((line) => line.startsWith(path.join(' ')))).toBe(true);
    for (const line of examples) expect(unknownIn(line)).toEqual([]);
  },
);

test('the program has commands at two levels', () => {
  const levels = new Set(all.map(({ path }) => path.length));
  expect([...levels].sort()).toEqual([0, 1, 2]);
});

test('attune help options lists every shared flag once, and no help of a command lists one', async () => {
  const cwd = await folderWith({});
  const { stdout } = await attune(['help', 'options'], { cwd });
  const listed = [...stdout.matchAll(/^ {2}(--\S+)/gm)].map(([, flag]) => flag);
  const shared = new Set(
    all.flatMap(({ command }) => command.options.filter(isShared)).map(({ long }) => long),
  );
  expect(listed.toSorted()).toEqual([...shared].toSorted());
  const help = (await attune(['plan', '--help'], { cwd })).stdout;
  expect(listed.filter((flag) => help.includes(`  ${flag}`))).toEqual([]);
});

test.each(rowsIn<[readonly string[], readonly string[]]>`
- [[-h], [--help]]
- [[help], [--help]]
- [[plan, -h], [plan, --help]]
- [[help, plan], [plan, --help]]
- [[help, workspace, list], [workspace, list, --help]]
- [[version], [--version]]
`)('attune %j prints what %j prints', async (typed, flags) => {
  const cwd = await folderWith({});
  const expected = await attune(flags, { cwd });
  expect(expected).toMatchObject({ code: 0, stderr: '' });
  expect(await attune(typed, { cwd })).toEqual(expected);
});
