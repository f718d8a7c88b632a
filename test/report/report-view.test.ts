import { describe, expect, test } from 'vitest';
import type { FieldChange } from '../../src/model/change.ts';
import type { PlannedChange } from '../../src/model/plan.ts';
import { permissionViews } from '../../src/report/access-view.ts';
import { htmlText } from '../../src/report/html/escape.ts';
import { permissionList } from '../../src/report/html/field.ts';
import { plain } from '../../src/report/paint.ts';
import { renderReport } from '../../src/report/render-report.ts';
import type { Report } from '../../src/report/report.ts';
import { reportView, type ViewOptions } from '../../src/report/report-view.ts';
import { updateOfApp as update } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';
import { hostileReports } from './fixtures/hostile-plan.ts';
import { largePlan } from './fixtures/large-plan.ts';

function viewOf(change: Partial<PlannedChange>, kind: Report['kind'] = 'plan', options: ViewOptions = {}) {
  const plan = { ...largePlan({}), changes: [{ ...update, ...change }] };
  const entry = { plan, diagnostics: [], path: (file: string) => `infra/${file}` };
  return reportView({ kind, entries: [entry] }, options).entries[0]?.plan?.changes[0];
}

test.each(['plan', 'drift'] as const)(
  'the text of a %s of one root file in a folder shows paths from the working folder, also of undeclared access',
  async (kind) => {
    const location = { file: 'attune.yaml', line: 9, column: 3 };
    const address = 'team-access.pay/ops';
    const grant = {
      address,
      projectId: 'prj-pay',
      teamId: 'team-ops',
      access: 'read',
      location,
      hint: 'x',
    } as const;
    const plan = {
      ...largePlan({}),
      changes: [{ ...update, location }],
      unmanaged: [address],
      undeclaredAccess: [grant],
    };
    const entry = { plan, diagnostics: [], path: (file: string) => `infra/${file}` };
    const text = await renderReport({ kind, entries: [entry] }, 'text', { paint: plain, full: false });
    expect(text.match(/\S+:9/g)).toEqual(['infra/attune.yaml:9', 'infra/attune.yaml:9']);
  },
);

test.each(['validate', 'plan', 'drift', 'apply'] as const)('the view of a %s is plain data', async (kind) => {
  const view = reportView((await hostileReports())[kind], { withOverview: true });
  expect(JSON.parse(JSON.stringify(view))).toEqual(view);
});

describe('a field has the shape that its formats show', () => {
  test.each(rowsIn<[FieldChange, object]>`
- [{path: lock, before: false, after: true}, {shape: lock, before: unlocked, after: locked}]
- [{path: auto-apply, before: false, after: true}, {shape: value, before: false, after: true}]
- [{path: tags, before: [a], after: [b], add: [b], remove: [a]}, {shape: list, before: [a], after: [b], add: [b], remove: [a]}]
- [{path: remote-state-consumers, before: null, after: [b], add: [b], remove: []}, {shape: unread-list, after: [b], add: [b], remove: []}]
`)('the view has the shape of the field %j', (field, shown) => {
    expect(viewOf({ fields: [field] })?.fields).toEqual([{ path: field.path, ...shown }]);
  });
});

test('the view names a delete by its mode, and in a drift report as undeclared', () => {
  const remove = { action: 'delete', mode: 'force' } as const;
  expect(viewOf(remove)?.title).toBe('force delete workspace.app');
  expect(viewOf({ action: 'delete' })?.title).toBe('safe delete workspace.app');
  expect(viewOf({ ...remove, kind: 'team-access' })?.title).toBe('revoke workspace.app');
  expect(viewOf(remove, 'drift')?.title).toBe('undeclared: workspace.app');
});

test('the place of a change in a view is a path from the working folder', () => {
  const change = viewOf({ location: { file: 'a.yaml', line: 3, column: 1 } });
  expect(change?.place).toEqual({ file: 'infra/a.yaml', line: 3, column: 1 });
});

test('the page shows a permission level of the service with an arrow unchanged', () => {
  const path = 'workspace-access.runs';
  const list = permissionList(permissionViews([{ path, before: 'a->b', after: 'apply' }]));
  expect(list && htmlText(list)).toContain(`<code>${path}</code> a-&gt;b → apply</li>`);
});
