import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const files = `attune: 1
organization: acme
projects: {payments: prj-payments}
teams: {sre: team-sre, dev: team-dev}
limits: {exception-days: 30}
workspaces:
  web: {auto-apply: false, description: declared} # shop
  api: {auto-apply: false, tags: [a]}
  same: {auto-apply: false}
team-access: {payments: {sre: read, dev: write}}
`;
const seed = {
  projects: { payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  workspaces: {
    web: { 'auto-apply': true, description: 'live: "now"' },
    api: { 'auto-apply': true, tags: ['b'] },
    same: { 'auto-apply': false },
  },
  'team-access': { payments: { sre: 'admin', dev: 'read' } },
};
const date = () => new Date('2026-12-01T12:00:00Z');

async function excepted(text: string, ...argv: readonly string[]) {
  const world = await worldWith(text, { seed }, { date });
  const ran = await world.attune('accept', ...argv);
  return { ...ran, world, text: await readFile(join(world.folder, 'attune.yaml'), 'utf8') };
}

const week = ['--until', '2026-12-15', '--reason', 'INC-7'] as const;

describe('accept --until', () => {
  test('accept --until writes an exception with the live value, and the next drift report knows it', async () => {
    const argv = ['workspace.web', '--field', 'description', '--field', 'auto-apply', ...week];
    const { code, stdout, stderr, text, world } = await excepted(files, ...argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replace(world.service.url, 'http://service')).toBe(`acme  http://service

  = workspace.web
      auto-apply: true until 2026-12-15 (INC-7)     attune.yaml:12
      description: live: "now" until 2026-12-15 (INC-7)  attune.yaml:17

Changed 1 file: 2 exceptions.
`);
    expect(text).toBe(`${files}exceptions:
  - address: workspace.web
    field: auto-apply
    value: true
    until: "2026-12-15"
    reason: INC-7
  - address: workspace.web
    field: description
    value: 'live: "now"'
    until: "2026-12-15"
    reason: INC-7
`);
    const { stdout: plan } = await world.attune('plan', '--only', 'workspace.web');
    expect(plan).toContain('1 held');
  });

  test.each([
    [
      'block',
      'exceptions: # known\n  # first\n  - {address: workspace.x, field: tags, until: 2026-12-15, reason: A} # one\n',
      'exceptions: # known\n  # first\n  - {address: workspace.x, field: tags, until: 2026-12-15, reason: A} # one\n  - {address: workspace.api, field: tags, value: [b], until: "2026-12-15", reason: INC-7}\n',
    ],
    [
      'flow',
      'exceptions: [] # none\n',
      'exceptions: [{address: workspace.api, field: tags, value: [b], until: "2026-12-15", reason: INC-7}] # none\n',
    ],
  ])('accept --until adds to a %s list and keeps its comments', async (_form, before, after) => {
    const { code, stderr, text } = await excepted(
      files + before,
      'workspace.api',
      '--field',
      'tags',
      ...week,
    );
    expect(code, stderr).toBe(0);
    expect(text).toBe(files + after);
  });

  test('accept --until --dry-run prints the exception and writes nothing', async () => {
    const argv = ['workspace.a*', '--field', 'auto-apply', ...week, '--dry-run'];
    const { code, stdout, text } = await excepted(files, ...argv);
    expect([code, text]).toEqual([0, files]);
    expect(stdout).toContain(
      '+exceptions:\n+  - address: workspace.api\n+    field: auto-apply\n+    value: true\n',
    );
  });

  test('accept --until --format json lists the exceptions', async () => {
    const argv = ['team-access.payments/dev', '--field', 'access', ...week, '--format', 'json'];
    const { code, stdout } = await excepted(files, ...argv);
    expect([code, JSON.parse(stdout).exceptions]).toEqual([
      0,
      [
        {
          address: 'team-access.payments/dev',
          field: 'access',
          value: 'read',
          until: '2026-12-15',
          reason: 'INC-7',
          location: { file: 'attune.yaml', line: 12, column: 5 },
        },
      ],
    ]);
  });

  test.each<[string, readonly string[], string]>([
    [
      'without a reason',
      ['workspace.web', '--field', 'auto-apply', '--until', '2026-12-15'],
      'error[usage]: an exception requires addresses, a field, a date and a reason\n  hint: run `attune accept ADDRESS --field NAME --until DATE --reason TEXT`\n',
    ],
    ['without a date', ['workspace.web', '--field', 'auto-apply', '--reason', 'INC-7'], 'error[usage]'],
    ['without a field', ['workspace.web', ...week], 'error[usage]'],
    ['with --all', ['--all', '--field', 'auto-apply', ...week], 'error[usage]'],
    ['with a wrong field', ['workspace.web', '--field', 'auto-aply', ...week], 'error[unknown-name]'],
    [
      'with a field that does not differ',
      ['workspace.same', '--field', 'auto-apply', ...week],
      'error[not-acceptable]: no exception is written: the live value of auto-apply is as declared\n  hint: run `attune drift` to list the differences\n',
    ],
    [
      'with a date without a year',
      ['workspace.web', '--field', 'auto-apply', '--until', '12-15', '--reason', 'INC-7'],
      'error[bad-value]: "12-15" is neither a date nor a time with a zone\n  hint: give a date such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z\n',
    ],
    [
      'with a date in the past',
      ['workspace.web', '--field', 'auto-apply', '--until', '2026-11-30', '--reason', 'INC-7'],
      'error[bad-value]: the exception would end before it begins: 2026-11-30 is in the past\n',
    ],
    [
      'for longer than limits.exception-days',
      ['workspace.web', '--field', 'auto-apply', '--until', '2026-12-31', '--reason', 'INC-7'],
      'error[bad-value]: an exception until 2026-12-31 is longer than the 30 days of limits.exception-days\n  hint: give 2026-12-30 or an earlier date, or raise limits.exception-days\n',
    ],
    [
      'for access that is higher than declared',
      ['team-access.payments/sre', '--field', 'access', ...week],
      'error[not-acceptable]: the exception for access of team-access.payments/sre holds nothing back: team-access.payments/sre has more access than declared, which no exception keeps\n  hint: run `attune apply` to revert it, or accept it without --until; no file was written\n',
    ],
  ])('accept --until %s is an error and writes nothing', async (_what, argv, message) => {
    const { code, stderr, text } = await excepted(files, ...argv);
    expect([code, stderr, text]).toEqual([1, expect.stringContaining(message), files]);
  });

  test('accept --until accepts the latest date that limits.exception-days allow', async () => {
    const argv = ['workspace.web', '--field', 'auto-apply', '--until', '2026-12-30', '--reason', 'INC-7'];
    const { code, stderr, world } = await excepted(files, ...argv);
    expect([code, stderr]).toEqual([0, '']);
    expect((await world.attune('plan')).stderr).not.toContain('bad-value');
  });

  test('accept --until of a difference with an exception is an error at that exception', async () => {
    const text = `${files}exceptions:\n  - {address: workspace.*, field: auto-apply, until: 2026-12-10, reason: A}\n`;
    const ran = await excepted(text, 'workspace.web', '--field', 'auto-apply', ...week);
    expect([ran.code, ran.text]).toEqual([1, text]);
    expect(
      ran.stderr,
    ).toBe(`attune.yaml:12:5: error[duplicate-name]: auto-apply of workspace.web already has an exception until 2026-12-10 (A)
  12 |   - {address: workspace.*, field: auto-apply, until: 2026-12-10, reason: A}
     |     ^
`);
  });
});
