import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';
const date = () => new Date('2026-12-01T00:00:00Z');

async function holdWorld(body: string, grants: Readonly<Record<string, string>> = {}) {
  const seed = {
    projects: { payments: 'prj-payments' },
    teams: { sre: 'team-sre' },
    workspaces: { web: { 'auto-apply': true, description: 'live' } },
    'team-access': { payments: grants },
  };
  const world = await worldWith(head + body, { seed }, { date });
  const file = join(world.folder, 'attune.yaml');
  return {
    ...world,
    text: async () => (await readFile(file, 'utf8')).slice(head.length),
    write: (text: string) => writeFile(file, head + text),
  };
}

describe('accept and holds', () => {
  const access = 'projects: {payments: prj-payments}\nteams: {sre: team-sre}\nteam-access:\n  payments:\n';

  test.each([
    [
      'a level in one line',
      '    sre: {access: write, until: 2026-12-31, reason: Q4} # why\n',
      'write',
      'read',
    ],
    [
      'a level in several lines',
      '    sre:\n      access: write # now\n      until: 2026-12-31\n',
      'write',
      'read',
    ],
  ])('accept keeps until and reason of a grant: %s', async (_what, entry, before, after) => {
    const world = await holdWorld(access + entry, { sre: after });
    const { code, stderr } = await world.attune('accept', '--all');
    expect(code, stderr).toBe(0);
    expect(await world.text()).toBe(access + entry.replace(before, after));
    expect((await world.attune('drift')).code).toBe(0);
  });

  test('accept keeps until and reason where a level replaces permissions', async () => {
    const entry =
      '    sre: {access: custom, workspace-access: {runs: plan}, until: 2026-12-31, reason: Q4}\n';
    const world = await holdWorld(access + entry, { sre: 'read' });
    const { code, stderr } = await world.attune('accept', '--all');
    expect(code, stderr).toBe(0);
    expect(await world.text()).toBe(`${access}    sre: {access: read, until: 2026-12-31, reason: Q4}\n`);
  });

  test('accept leaves access that has ended as it is declared', async () => {
    const entry = '    sre: {access: write, until: 2026-11-30}\n';
    const world = await holdWorld(access + entry);
    const { code, stdout } = await world.attune('accept', '--all');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing to accept.')]);
    expect(await world.text()).toBe(access + entry);
  });

  test('accept reports live access that has ended as not accepted', async () => {
    const entry = '    sre: {access: write, until: 2026-11-30}\n';
    const world = await holdWorld(access + entry, { sre: 'write' });
    const { code, stderr } = await world.attune('accept', '--all');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        'error[not-acceptable]: team-access.payments/sre is not accepted: the access ended on 2026-11-30',
      ),
    ]);
    expect(await world.text()).toBe(access + entry);
  });

  test('accept takes a known difference only if its field is named, and keeps the exceptions', async () => {
    const files = (autoApply: boolean, description: string) => `workspaces:
  web: {auto-apply: ${autoApply}, description: ${description}}
exceptions:
  - {address: workspace.web, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7} # incident
`;
    const world = await holdWorld(files(false, 'declared'));
    expect((await world.attune('accept', '--all')).code).toBe(0);
    expect(await world.text()).toBe(files(false, 'live'));
    expect((await world.attune('accept', 'workspace.web', '--field', 'auto-apply')).code).toBe(0);
    expect(await world.text()).toBe(files(true, 'live'));
  });
});
