import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

type Live = NonNullable<OrganizationSeed['workspaces']>;

async function accepted(body: string, workspaces: Live, ...argv: readonly string[]) {
  const world = await worldWith(head + body, { seed: { organization: 'acme', workspaces } });
  const ran = await world.attune('accept', ...(argv.length > 0 ? argv : ['--all']));
  const text = (await readFile(join(world.folder, 'attune.yaml'), 'utf8')).slice(head.length);
  const { stdout } = await world.attune('plan');
  return { ...ran, text, plan: stdout };
}

describe('accept', () => {
  test.each<[string, string, Live, string]>([
    [
      'a scalar',
      'workspaces:\n  a:\n    description: "old" # why\n    # last\n',
      { a: { description: 'new' } },
      'workspaces:\n  a:\n    description: "new" # why\n    # last\n',
    ],
    [
      'entries of a block list',
      'workspaces:\n  a:\n    tags:\n      - x # first\n      - y # second\n    auto-apply: false\n',
      { a: { tags: ['y', 'z'] } },
      'workspaces:\n  a:\n    tags:\n      - y # second\n      - z\n    auto-apply: false\n',
    ],
    [
      'entries of a list in one line',
      'workspaces:\n  a: {tags: [x, y], auto-apply: false}\n',
      { a: { tags: ['y', 'z'] } },
      'workspaces:\n  a: {tags: [y, z], auto-apply: false}\n',
    ],
    [
      'an additive list, in its form',
      'workspaces:\n  a:\n    tags: {add: [x, w], remove: [y]}\n',
      { a: { tags: ['w', 'y'] } },
      'workspaces:\n  a:\n    tags: {add: [w]}\n',
    ],
    [
      'a value of a layer, as the value of the workspace',
      'defaults:\n  workspace: {auto-apply: false}\nworkspaces:\n  a: {}\n  b: {}\n',
      { a: { 'auto-apply': true }, b: {} },
      'defaults:\n  workspace: {auto-apply: false}\nworkspaces:\n  a:\n    auto-apply: true\n  b: {}\n',
    ],
    [
      'a value that comes through an alias',
      'workspaces:\n  a: &base {auto-apply: false}\n  b: *base\n',
      { a: {}, b: { 'auto-apply': true } },
      'workspaces:\n  a: &base {auto-apply: false}\n  b: {<<: *base, auto-apply: true}\n',
    ],
    [
      'a workspace that is not live',
      'workspaces:\n  a: {}\n\n  gone:\n    description: x\n',
      { a: {} },
      'workspaces:\n  a: {}\n',
    ],
  ])('%s keeps comments and style', async (_what, before, live, after) => {
    const { code, text, plan, stderr } = await accepted(before, live);
    expect([code, text], stderr).toEqual([0, after]);
    expect(plan).toContain('0 to create, 0 to update, 0 to delete');
  });

  test('a value whose anchor other lines use is reported and not changed', async () => {
    const before = 'workspaces:\n  a: &base {auto-apply: false}\n  b: *base\n';
    const { code, text, stderr } = await accepted(before, { a: { 'auto-apply': true }, b: {} });
    expect([code, text, stderr]).toEqual([
      1,
      before,
      'error[not-acceptable]: workspace.a is not accepted: other lines use its anchor &base in attune.yaml\n  hint: write the value out where *base is used, then run accept again\n',
    ]);
  });

  test('a rename that is not applied yet is reported and not changed', async () => {
    const before = 'workspaces:\n  b: {renamed-from: a}\n';
    const { code, text, stderr } = await accepted(before, { a: {} });
    expect([code, text, stderr]).toEqual([
      1,
      before,
      'error[not-acceptable]: workspace.b is not accepted: its rename is not applied yet\n  hint: apply the rename, or remove renamed-from and call it a in the file\n',
    ]);
  });
});
