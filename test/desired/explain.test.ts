import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/** Prints what each line of `explain` prints for the files, whose sections have their names. */
testTextTables(join(import.meta.dirname, 'explain'), async ({ sections }: TextRow) => {
  const files = Object.entries(sections).filter(([title]) => title.endsWith('.yaml'));
  const cwd = await folderWith(Object.fromEntries(files));
  const printed = (sections.explain ?? '')
    .trim()
    .split('\n')
    .map(async (line) => {
      const { code, stdout, stderr } = await attune(['explain', ...line.split(' ')], { cwd });
      return stdout + (code === 0 ? stderr : `${stderr}exit code ${code}\n`);
    });
  return (await Promise.all(printed)).join('\n');
});

test('explain prints one document with --format json', async () => {
  const cwd = await folderWith({
    'attune.yaml': `attune: 1
organization: acme
defaults: {workspace: {auto-apply: false}}
templates: {service: {iac-version: "1.10.2"}, canary: {when: {tag: canary}, description: early}}
workspaces:
  web:
    extends: service
    tags: [canary]
    auto-apply: true
`,
  });
  const { stdout } = await attune(['explain', 'workspace.web', 'auto-apply', '--format', 'json'], { cwd });
  const at = (line: number, column: number) => ({ file: 'attune.yaml', line, column });
  expect(JSON.parse(stdout)).toEqual({
    format: 'attune.explain/1',
    organization: 'acme',
    address: 'workspace.web',
    location: at(6, 3),
    extends: ['service'],
    selected: ['canary'],
    fields: [
      {
        path: 'auto-apply',
        value: true,
        layer: 'workspace',
        location: at(9, 5),
        overrides: [{ layer: 'defaults', location: at(3, 24), value: false }],
        entries: [],
      },
    ],
  });
});

test('explain --format json has what keeps changes of a field back, and when a grant ends', async () => {
  const cwd = await folderWith({
    'attune.yaml': `attune: 1
organization: acme
workspaces: {web: {auto-apply: false, iac-version: "1.10.2", tags: [prod]}}
team-access: {payments: {sre: {access: write, until: 2026-12-31, reason: Q4}}}
exceptions:
  - {address: workspace.web, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7}
  - {address: workspace.web, field: description, until: 2026-12-15, reason: INC-8}
freeze: [{from: 2026-12-20, to: 2026-12-31, reason: year end, select: {name: WEB}}]
`,
  });
  const documentOf = async (...argv: readonly string[]) => {
    const date = () => new Date('2026-12-16T00:00:00Z');
    return JSON.parse((await attune(['explain', ...argv, '--format', 'json'], { cwd, date })).stdout);
  };
  const freeze = {
    by: 'freeze',
    reason: 'year end',
    state: 'later',
    from: '2026-12-20T00:00:00Z',
    until: '2027-01-01T00:00:00Z',
    location: { file: 'attune.yaml', line: 8, column: 10 },
  };
  expect((await documentOf('workspace.web', 'auto-apply')).holds).toEqual([
    {
      by: 'exception',
      reason: 'INC-7',
      state: 'ended',
      value: true,
      until: '2026-12-15',
      fields: ['auto-apply'],
      location: { file: 'attune.yaml', line: 6, column: 5 },
    },
    freeze,
  ]);
  expect((await documentOf('workspace.web', 'iac-version')).holds).toEqual([freeze]);
  expect((await documentOf('team-access.payments/sre')).ends).toEqual({
    until: '2026-12-31',
    reason: 'Q4',
    ended: false,
    location: { file: 'attune.yaml', line: 4, column: 47 },
  });
});

test('explain leaves to the service whether an id and a name are the same project', async () => {
  const cwd = await folderWith({
    'attune.yaml': `attune: 1
organization: acme
projects: {pay: prj-Pay1, shop: {name: Shop, manage: true}}
workspaces: {web: {project: pay}, api: {project: shop}}
team-access: {pay: {sre: read}, shop: {sre: read}}
freeze: [{from: 2026-12-01, to: 2026-12-31, reason: launch, select: {project: Payments}}]
`,
  });
  const holdsOf = async (address: string) => {
    const date = () => new Date('2026-12-16T00:00:00Z');
    const { stdout } = await attune(['explain', address, '--format', 'json'], { cwd, date });
    return JSON.parse(stdout).holds?.map(({ reason, state }: { reason: string; state: string }) => [
      reason,
      state,
    ]);
  };
  expect(await holdsOf('workspace.web')).toEqual([['launch', 'live']]);
  expect(await holdsOf('workspace.api')).toEqual(undefined);
  expect(await holdsOf('team-access.pay/sre')).toEqual([['launch', 'live']]);
  expect(await holdsOf('team-access.shop/sre')).toEqual(undefined);
  expect(await holdsOf('project.shop')).toEqual(undefined);
});
