import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, worldWith } from '../support/attune.ts';

/** What a terminal or a reader takes for something else, and commands of job logs. */
const raw = ['\u001b', '\u007f', '\u0085', '\u009b', '\u202e', '\u2066', '\u200b', '\ufeff', '\u{e0041}'];
const hostile = `x${raw.join('')}##[error]a ##vso[task.b]`;
const lines = `first\n::error::second\n  ::warning::third ${hostile}\n`;

/** Raw characters and commands in an output. */
function found(output: string): string[] {
  const commands = output.split('\n').filter((line) => /^\s*::|##\[|##vso\[/i.test(line));
  return [...raw.filter((character) => output.includes(character)), ...commands];
}

const quoted = JSON.stringify(lines);
const files = {
  'attune.yaml': `attune: 1
organization: acme
projects: {p: {name: Web, manage: true, description: ${quoted}, tag-bindings: {"::error::k": v}}}
workspaces:
  a: {description: ${quoted}, working-directory: ${JSON.stringify(hostile)}, trigger-patterns: [${JSON.stringify(hostile)}, "::error::"]}
policies:
  - {id: p, require: "true", message: ${quoted}}
`,
};

test.each(['yaml', 'json'])(
  'render prints text without raw characters and commands of job logs, and the same data: --format %s',
  async (format) => {
    const cwd = await folderWith(files);
    const { code, stdout, stderr } = await attune(['render', '--format', format], { cwd });
    expect([code, found(stdout + stderr)]).toEqual([0, []]);
    const again = await folderWith({ 'attune.yaml': stdout });
    const rendered = await attune(['render', '--format', 'json'], { cwd: again });
    const original = await attune(['render', '--format', 'json'], { cwd });
    expect(JSON.parse(rendered.stdout)).toEqual(JSON.parse(original.stdout));
    expect(JSON.parse(original.stdout).workspaces.a.description).toBe(lines);
  },
);

test.each([
  'validate',
  'plan',
  'plan --full',
  'plan --format json',
  'drift',
  'drift --format json',
  'explain workspace.a',
  'explain workspace.a --format json',
  'apply --yes --format json',
  'workspace list',
  'workspace show a',
  'workspace show a --format json',
  'export terraform',
  'snapshot',
  'import --out other.yaml',
  'doctor',
  'accept --all --dry-run',
])('%s prints text without raw characters and commands of job logs', async (command) => {
  const world = await worldWith(files, {
    seed: { workspaces: { a: { description: hostile, tags: ['t'] }, b: { description: lines } } },
    dialect: 'terraform',
  });
  const { stdout, stderr } = await world.attune(...command.split(' '));
  expect(stdout + stderr).not.toMatch(/^$|yaml-syntax|bad-value|wrong-type/);
  expect(found(stdout + stderr)).toEqual([]);
});

test('the Terraform export has no raw characters and commands of job logs in its file', async () => {
  const root = `attune: 1\norganization: acme\nworkspaces: {a: {description: ${quoted}}}\n`;
  const world = await worldWith(root, { seed: { workspaces: { a: {} } } });
  await mkdir(join(world.folder, 'infra'));
  expect((await world.attune('export', 'terraform', '--out', 'infra')).code).toBe(0);
  const text = await readFile(join(world.folder, 'infra', 'acme.tf.json'), 'utf8');
  expect([text.includes('second'), found(text)]).toEqual([true, []]);
});
