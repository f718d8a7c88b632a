import { expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

/** What is suggested for the last word: the paths that the shell adds, and the values without their descriptions. */
async function suggested(cwd: string, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await attune(['__complete', '--', ...words], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

test.each(rowsIn<[string[], string[]]>`
- [[wor], [none, workspace]]
- [[workspace, ""], [none, list, show, lock, unlock]]
- [[workspace, lock, --rea], [none, --reason]]
- [[plan, --format, j], [none, json, junit]]
- [[plan, --format=j], [none, --format=json, --format=junit]]
- [[plan, --format, =, j], [none, json, junit]]
- [[plan, ""], [files]]
- [[plan, --quiet, ""], [files]]
- [[plan, one.yaml, ""], [files]]
- [[plan, --report, ""], [files]]
- [[export, terraform, --out, ""], [directories]]
- [[show, plan.json, ""], [files]]
- [[plan, --rate, ""], [none]]
- [[plan, --, --fo], [files]]
- [[workspace, list, --format, h], [none]]
- [[completion, ""], [none, bash, zsh, fish]]
- [[plan, --nonsense=x], [none]]
- [[nonsense, ""], [none]]
`)('completion suggests for %j: %j', async (words, expected) => {
  expect(await suggested(await folderWith({}), ...words)).toEqual(expected);
});

test('completion offers the flags of a command before the shared flags', async () => {
  const flags = await suggested(await folderWith({}), 'accept', '--');
  expect(flags.indexOf('--dry-run')).toBeGreaterThan(0);
  expect(flags.indexOf('--address')).toBeGreaterThan(flags.indexOf('--config'));
  expect(flags.indexOf('--verbose')).toBe(flags.length - 1);
});

test('completions have descriptions', async () => {
  const { stdout } = await attune(['__complete', '--', 'emu'], { cwd: await folderWith({}) });
  expect(stdout).toBe('none\nemulator\trun the embedded service on a loopback address\n');
});

test('completions omit the commands that are for scripts only', async () => {
  const cwd = await folderWith({});
  expect(await suggested(cwd, '_')).toEqual(['none']);
  expect((await attune(['--help'], { cwd })).stdout).not.toContain('__complete');
});

test('completion for an unknown shell is an error that lists the shells', async () => {
  const { code, stderr } = await attune(['completion', 'tcsh'], { cwd: '.' });
  expect(code).toBe(1);
  expect(stderr).toContain(
    "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
  );
});
