import { expect, test } from 'vitest';
import type { PlannedChange } from '../../src/model/plan.ts';
import { rootStatus, statusText } from '../../src/report/entry-view.ts';
import { renderReport } from '../../src/report/render-report.ts';
import type { Report, ReportKind } from '../../src/report/report.ts';
import { emptyPlan } from '../support/empty-plan.ts';

const base = { kind: 'workspace', action: 'update', calls: [], dependsOn: [] } as const;
const changes: readonly PlannedChange[] = [
  {
    ...base,
    address: 'workspace.app',
    name: 'app',
    fields: [
      { path: 'auto-apply', before: true, after: false },
      { path: 'description', before: null, after: 'Shop' },
    ],
    calls: [{ operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-1', body: {} }],
    held: [{ by: 'exception', reason: 'INC-7 <b>\u001b[31m', until: '2026-12-15', fields: ['auto-apply'] }],
  },
  {
    ...base,
    address: 'workspace.web',
    name: 'web',
    fields: [{ path: 'iac-version', before: '1.9.5', after: '1.10.2' }],
    held: [{ by: 'freeze', reason: 'year end', until: '2027-01-05T00:00:00Z' }],
  },
];

const report: Report = {
  kind: 'plan',
  entries: [
    {
      diagnostics: [],
      path: (file) => file,
      plan: {
        ...emptyPlan,
        address: 'https://iac.example.com',
        at: '2026-11-28T12:00:00Z',
        summary: { create: 0, update: 1, delete: 0, unchanged: 0, held: 2, calls: 1 },
        changes,
      },
    },
  ],
};

test('a change with several holds is listed once for each reason, and counted once', async () => {
  const reason = { by: 'exception', reason: 'INC-7', until: '2026-12-15' } as const;
  const held = [
    { ...reason, fields: ['auto-apply'] },
    { ...reason, fields: ['description'] },
    { by: 'freeze', reason: 'year end', until: '2027-01-05T00:00:00Z' },
  ] as const;
  const fields = changes.flatMap((change) => change.fields);
  const [entry] = report.entries;
  const changed = changes.slice(0, 1).map((change) => ({ ...change, fields, held, calls: [] }));
  const summary = { create: 0, update: 0, delete: 0, unchanged: 0, held: 1, calls: 0 };
  const plan = { ...emptyPlan, summary, changes: changed };
  const one: Report = { kind: 'plan', entries: [{ diagnostics: [], path: (file) => file, ...entry, plan }] };
  expect(await renderReport(one, 'text')).toContain(`
Held by exceptions and freeze windows, next date 2026-12-15:
  exception until 2026-12-15: INC-7
    ~ workspace.app
        auto-apply: true -> false
        description: (none) -> Shop
  freeze window until 2027-01-05T00:00:00Z: year end
    ~ workspace.app
        auto-apply: true -> false
        description: (none) -> Shop
        iac-version: 1.9.5 -> 1.10.2
`);
  expect(await renderReport(one, 'html')).toContain(
    '>Held by exceptions and freeze windows, next date 2026-12-15</h3>',
  );
});

test('text lists what is held apart from what is sent, by reason, with the next date', async () => {
  expect(await renderReport(report, 'text')).toBe(`\
acme  https://iac.example.com

  ~ workspace.app
      description: (none) -> Shop

Held by exceptions and freeze windows at 2026-11-28T12:00:00Z, next date 2026-12-15:
  exception until 2026-12-15: INC-7 <b>\\u{1b}[31m
    ~ workspace.app
        auto-apply: true -> false
  freeze window until 2027-01-05T00:00:00Z: year end
    ~ workspace.web
        iac-version: 1.9.5 -> 1.10.2

Plan: 0 to create, 1 to update, 0 to delete, 2 held, 0 unchanged. 1 call.
`);
});

test('Markdown folds what is held, and counts it', async () => {
  const text = await renderReport(report, 'markdown');
  expect(text).toContain(`\
<details><summary>Held by exceptions and freeze windows at 2026-11-28T12:00:00Z, next date 2026-12-15 (2)</summary>

\`\`\`text
exception until 2026-12-15: INC-7 <b>\\u{1b}[31m
    ~ workspace.app
        auto-apply: true -> false
freeze window until 2027-01-05T00:00:00Z: year end
    ~ workspace.web
        iac-version: 1.9.5 -> 1.10.2
\`\`\`

</details>`);
  expect(text).toContain('To update (1)');
});

test('the page has a section of what is held, escaped', async () => {
  const page = await renderReport(report, 'html');
  const found = [
    '>Held by exceptions and freeze windows at 2026-11-28T12:00:00Z, next date 2026-12-15</h3>',
    'exception until 2026-12-15: INC-7 &lt;b&gt;\\u{1b}[31m',
    '<li>    auto-apply: true -&gt; false</li>',
  ].filter((part) => page.includes(part));
  expect(found).toHaveLength(3);
});

test('JUnit skips what is held, with its reason', async () => {
  const xml = await renderReport(report, 'junit');
  expect(xml).toContain('<testsuite name="acme" tests="3" failures="0" errors="0" skipped="2">');
  expect(xml).toContain('<testcase name="held: update workspace.web" classname="workspace.web">');
  expect(xml).toContain('<skipped message="held by freeze window until 2027-01-05T00:00:00Z: year end"');
  expect(xml).toContain('held by exception until 2026-12-15: INC-7 &lt;b&gt;\\u{1b}[31m');
});

const [sent, frozen] = changes as [PlannedChange, PlannedChange];
const known: PlannedChange = { ...sent, calls: [] };

test.each<[ReportKind, PlannedChange, string]>([
  ['plan', known, 'no changes'],
  ['apply', known, 'no changes'],
  ['drift', known, 'no drift'],
  ['plan', frozen, 'no changes'],
  ['plan', sent, 'changes'],
  ['apply', sent, 'applied'],
])('the status of a root file in a report of %s depends on what is sent', (kind, change, expected) => {
  const plan = { ...emptyPlan, changes: [change] };
  const ended =
    change.calls.length > 0
      ? ({ result: 'done', callsDone: 1 } as const)
      : ({ result: 'held', callsDone: 0 } as const);
  const result = { plan, changes: [{ ...change, ...ended }], diagnostics: [] };
  const entry = { plan, ...(kind === 'apply' && { result }), diagnostics: [], path: (file: string) => file };
  expect(statusText(kind, rootStatus(kind, entry, false), true)).toBe(expected);
});
