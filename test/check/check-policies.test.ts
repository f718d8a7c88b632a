import { expect, test } from 'vitest';
import { checkPolicies } from '../../src/check/check-policies.ts';
import { loadPolicyFiles } from '../../src/desired/policies.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { folderWith } from '../support/attune.ts';
import { emptyPlan } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';

function change(name: string, rest: Partial<PlannedChange> = {}): PlannedChange {
  return {
    address: `workspace.${name}`,
    kind: 'workspace',
    name,
    id: `ws-${name}`,
    action: 'update',
    location: { file: 'attune.yaml', line: 7, column: 3 },
    fields: [{ path: 'auto-apply', before: false, after: true }],
    calls: [{ operation: 'updateWorkspace', method: 'PATCH', path: `/workspaces/ws-${name}`, body: {} }],
    dependsOn: [],
    ...rest,
  };
}

function planOf(changes: readonly PlannedChange[]): Plan {
  return {
    ...emptyPlan,
    summary: { create: 0, update: changes.length, delete: 0, unchanged: 0, calls: changes.length },
    changes,
  };
}

/** The diagnostics and the results of policies for a plan. */
async function checked(yaml: string, plan: Plan) {
  const folder = await folderWith({ 'p.yaml': `policies:\n${yaml}` });
  const files = await loadPolicyFiles(['p.yaml'], folder);
  expect(files?.diagnostics).toEqual([]);
  const { diagnostics, policies } = await checkPolicies(plan, files?.policies ?? []);
  return { printed: renderDiagnostics(diagnostics), policies };
}

test.each(
  rowsIn<{ title: string; yaml: string; changes?: number; printed: string; policies: object[] }>`
- title: a violation names the policy, the address, and the line that declares it
  yaml: '{id: off, require: "change.name == ''w1'' || !change.fields.exists(f, f.after == true)", message: Never., severity: note}'
  changes: 2
  printed: |
    attune.yaml:7:3: note[policy]: workspace.w0 violates policy off: Never.
      hint: change the declaration so that it meets the requirement at p.yaml:2:25
  policies: [{id: off, on: change, severity: note, file: p.yaml, checked: 2, violations: 1}]
- title: a value that is missing is an error at its place in the expression
  yaml: '{id: safe, severity: note, when: "true", require: "change.kind == '''' || change.mode == ''safe''", message: Never.}'
  printed: |
    p.yaml:2:84: error[policy-failed]: cannot evaluate policy safe for workspace.w0: no such key: mode
      hint: check first that the value exists, with has() or \`in\`, or write a default with .? and orValue()
  policies: [{checked: 1, violations: 0, failed: true}]
- title: a value of another type is an error, also in the condition that selects changes
  yaml: '{id: a, when: "change.fields[0].after > 3", require: "false", message: Never.}'
  printed: |
    p.yaml:2:20: error[policy-failed]: cannot evaluate policy a for workspace.w0: no such overload: dyn<bool> > int
      hint: check the type of the value first, for example with type(value) == string
  policies: [{failed: true}]
- title: a policy that takes too many steps is an error with its place
  yaml: '{id: slow, on: plan, require: "plan.changes.all(c, !c.address.matches(''^(ab?c?d?e?){999}$''))", message: Never.}'
  changes: 200
  printed: |
    p.yaml:2:36: error[policy-failed]: cannot evaluate policy slow: it takes more than 10,000,000 steps
      hint: replace nested loops and long lists with simpler conditions, or set \`on: change\` to evaluate one change at a time
  policies: [{id: slow, failed: true}]
- title: a policy on resources cannot be evaluated on a saved plan
  yaml: '{id: tagged, on: workspace, require: size(workspace.tags) > 0, message: Never.}'
  changes: 0
  printed: |
    p.yaml:2:10: error[policy-failed]: cannot evaluate policy tagged: it is on workspace, and a saved plan does not contain the state of resources
      hint: pass the file to \`attune plan\` or \`attune apply --plan\` with the configuration files, which read the live state
  policies: [{checked: 0, violations: 0, failed: true}]
`,
)('$title', async ({ yaml, changes = 1, printed, policies }) => {
  const plan = planOf(Array.from({ length: changes }, (_, index) => change(`w${index}`)));
  const found = await checked(`  - ${yaml}\n`, plan);
  expect(found.printed).toBe(printed);
  expect(found.policies).toMatchObject(policies);
});

test('a policy whose `when` selects nothing is not applicable', async () => {
  const { policies } = await checked(
    `  - {id: a, when: change.action == 'x', require: 'false', message: Never.}\n  - {id: b, when: change.action == 'update', require: 'true', message: Never.}\n`,
    planOf([change('a')]),
  );
  expect(policies).toEqual([
    expect.objectContaining({ id: 'a', checked: 0, violations: 0, notApplicable: true }),
    expect.not.objectContaining({ notApplicable: true }),
  ]);
});

const loaded = async (yaml: string) => {
  const folder = await folderWith({ 'p.yaml': `policies:\n${yaml}` });
  return (await loadPolicyFiles(['p.yaml'], folder))?.policies ?? [];
};

test('a signal can be handled between policies', async () => {
  const policy = (id: string) => `  - {id: ${id}, require: 'true', message: Never.}\n`;
  const policies = await loaded(['a', 'b', 'c'].map(policy).join(''));
  let turns = 0;
  const counting = { isOn: true };
  const count = () => {
    turns += 1;
    if (counting.isOn) setImmediate(count);
  };
  setImmediate(count);
  await checkPolicies(planOf([change('a')]), policies);
  counting.isOn = false;
  expect(turns).toBeGreaterThan(2);
});

test('a policy replaces its former results, and those of other policies stay', async () => {
  const own = await loaded(`  - {id: off, require: "change.name != 'a'", message: Never.}\n`);
  const former = (id: string) =>
    ({ id, on: 'plan', severity: 'error', file: 'q.yaml', checked: 1, violations: 1 }) as const;
  const note = (message: string, policy?: string): Diagnostic => ({
    severity: 'note',
    code: 'policy',
    message,
    ...(policy !== undefined && { policy }),
  });
  const plan = {
    ...planOf([change('a')]),
    diagnostics: [note('of off', 'off'), note('of other', 'other'), note('of none')],
    policies: [former('off'), former('other')],
  };
  const { diagnostics, policies } = await checkPolicies(plan, own);
  expect(diagnostics.map(({ message, policy, address }) => [message, policy, address])).toEqual([
    ['of other', 'other', undefined],
    ['of none', undefined, undefined],
    ['workspace.a violates policy off: Never.', 'off', 'workspace.a'],
  ]);
  expect(policies?.map(({ id, file }) => [id, file])).toEqual([
    ['other', 'q.yaml'],
    ['off', 'p.yaml'],
  ]);
  expect(await checkPolicies(plan, [])).toBe(plan);
});

test('a result about the plan has no address, and one about a change has it', async () => {
  const policies = await loaded(`  - {id: one, on: plan, require: "false", message: Never.}
  - {id: two, on: plan, require: "plan.changes[7].name == ''", message: Never.}
  - {id: three, require: change.mode == '', message: Never.}
`);
  const { diagnostics } = await checkPolicies(planOf([change('a')]), policies);
  expect(diagnostics.map((one) => [one.policy, one.address])).toEqual([
    ['one', undefined],
    ['two', undefined],
    ['three', 'workspace.a'],
  ]);
});
