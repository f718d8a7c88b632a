import { expect, test } from 'vitest';
import type { FieldChange } from '../../src/model/change.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { plain } from '../../src/report/paint.ts';
import { renderReport } from '../../src/report/render-report.ts';
import { type Report, type ReportFormat, reportFormats } from '../../src/report/report.ts';
import { largePlan } from './fixtures/large-plan.ts';

const own: FieldChange = { path: 'description', before: 'a', after: 'b', cause: 'change' };
const earlier: FieldChange = { path: 'auto-apply', before: true, after: false, cause: 'drift' };

function planWith(changes: readonly Partial<PlannedChange>[], rest: Partial<Plan> = {}): Plan {
  const plan = largePlan({ update: changes.length });
  return {
    ...plan,
    base: { ref: 'main' },
    noLongerDeclared: [
      {
        address: 'workspace.dropped',
        field: 'tags',
        location: { file: 'attune.yaml', line: 7, column: 3 },
      },
      { address: 'workspace.removed' },
    ],
    ...rest,
    changes: plan.changes.map((change, index) => ({ ...change, ...changes[index] })),
  };
}

function rendered(plan: Plan, format: ReportFormat, kind: 'plan' | 'drift' = 'plan'): Promise<string> {
  const report: Report = { kind, entries: [{ plan, diagnostics: [], path: (file) => file }] };
  return renderReport(report, format, { paint: plain, full: true });
}

const mixed = [
  { address: 'workspace.both', name: 'both', fields: [own, earlier] },
  { address: 'workspace.own', name: 'own', fields: [own] },
  { address: 'workspace.earlier', name: 'earlier', fields: [earlier] },
];

test.each(['text', 'markdown', 'html'] as const)(
  '%s shows this change first, then what was already different, then what is no longer declared',
  async (format) => {
    for (const kind of ['plan', 'drift'] as const) {
      const text = await rendered(planWith(mixed), format, kind);
      const places = ['This change', 'Already different', 'No longer declared'].map((heading) =>
        text.indexOf(heading),
      );
      expect(places.every((at) => at > 0)).toBe(true);
      expect([...places].sort((a, b) => a - b)).toEqual(places);
      const [first = 0, second = 0] = places;
      const [caused, rest] = [text.slice(first, second), text.slice(second)];
      expect([caused.includes('description'), caused.includes('auto-apply')]).toEqual([true, false]);
      expect([rest.includes('description'), rest.includes('auto-apply')]).toEqual([false, true]);
    }
  },
);

test.each(['github', 'junit', 'sarif'] as const)('%s names the cause of each change', async (format) => {
  const text = await rendered(
    planWith([...mixed, { action: 'create', cause: 'change', fields: [] }]),
    format,
  );
  const lines = text.replaceAll('\\n', '\n').replaceAll('%0A', '\n');
  expect(lines).toMatch(/This change: description\nAlready different: auto-apply(<|"|$)/m);
  expect(lines).toMatch(/^This change(<|"|$)/m);
  expect(lines).toContain('no longer declared: workspace.dropped  tags\nattune.yaml:7 (base)');
});

test('updates of one list with other causes are not grouped', async () => {
  const tags = { path: 'tags', before: ['a'], after: ['b'], add: ['b'], remove: ['a'] } as const;
  const plan = planWith(
    Array.from({ length: 12 }, (_, index) => ({
      fields: [{ ...tags, cause: index % 2 === 0 ? ('change' as const) : ('drift' as const) }],
    })),
  );
  const report: Report = { kind: 'plan', entries: [{ plan, diagnostics: [], path: (file) => file }] };
  const text = await renderReport(report, 'github', { paint: plain });
  expect(text.match(/^::.*6 workspaces/gm)).toHaveLength(2);
});

test('Markdown and HTML fold what was already different and what is no longer declared, and not this change', async () => {
  const markdown = await rendered(planWith(mixed), 'markdown');
  expect(markdown).toContain('### This change (2)');
  expect(markdown).toContain('<details><summary>Already different (2)</summary>');
  expect(markdown).toContain('<details><summary>No longer declared (2)</summary>');
  expect(markdown).toContain('workspace.dropped  tags  attune.yaml:7 (base)');
  const page = await rendered(planWith(mixed), 'html');
  expect(page).toMatch(/<details class="part"><summary>Already different /);
  expect(page).toMatch(/<div class="part"><p class="part-title">This change /);
  expect(page).toMatch(/<details class="unmanaged"><summary>No longer declared /);
});

test('the page has one id for a change in two parts', async () => {
  const page = await rendered(planWith(mixed), 'html');
  expect(page.match(/ id="r1-c1"/g)).toHaveLength(1);
  expect(page.match(/ data-also="r1-c1"/g)).toHaveLength(1);
});

test('a plan that only reverts earlier differences shows that this change does nothing', async () => {
  const plan = planWith([{ fields: [earlier] }], { noLongerDeclared: [] });
  expect(await rendered(plan, 'text')).toContain('\nThis change:\n  No changes.\n\nAlready different:\n');
  expect(await rendered(plan, 'markdown')).toContain('### This change (0)');
  expect(await rendered(plan, 'html')).toContain('<li class="empty">No changes.</li>');
});

test('creations and deletions are listed under the heading of their cause', async () => {
  const text = await rendered(
    planWith([
      { address: 'workspace.created', action: 'create', cause: 'drift', fields: [own] },
      { address: 'workspace.deleted', action: 'delete', cause: 'change', mode: 'safe', fields: [] },
    ]),
    'text',
  );
  expect(text.indexOf('- workspace.deleted')).toBeLessThan(text.indexOf('Already different'));
  expect(text.indexOf('+ workspace.created')).toBeGreaterThan(text.indexOf('Already different'));
});

test('without a base, or with one that could not be loaded, no format has the headings', async () => {
  const { noLongerDeclared: _dropped, ...unknown } = planWith([
    { fields: [{ ...own, cause: 'unknown' as const }] },
  ]);
  for (const format of reportFormats) {
    expect(await rendered(unknown, format)).not.toMatch(/This change|Already different|No longer declared/);
    expect(await rendered(largePlan({ update: 1 }), format)).not.toMatch(/This change|Already different/);
  }
});
