import { expect, test } from 'vitest';
import { documentOfPlan, withDigest } from '../../src/apply/plan-document.ts';
import type { Plan } from '../../src/model/plan.ts';
import { type DocumentCheck, parseDocuments, parsePlans, savePlans } from '../../src/run/saved-documents.ts';

const plan: Plan = {
  organization: 'acme',
  address: 'embedded',
  dialect: 'iac',
  summary: { create: 0, update: 1, delete: 0, unchanged: 0, calls: 0 },
  changes: [
    {
      address: 'workspace.app',
      kind: 'workspace',
      name: 'app',
      id: 'ws-app',
      action: 'update',
      fields: [{ path: 'auto-apply', before: false, after: true }],
      calls: [],
      dependsOn: [],
      facts: { exists: true },
      declared: 'sha256:1',
    },
  ],
  unmanaged: [],
  diagnostics: [
    {
      severity: 'note',
      code: 'x',
      message: 'x',
      location: { file: 'attune.yaml', line: 1, column: 1 },
      sourceLine: 'attune: 1',
    },
  ],
  effects: { stateAccess: [], moves: [] },
  overview: { workspaces: [], grants: [], scope: 'whole' },
};
const noOverview = { workspaces: [], grants: [], scope: 'whole' };
const {
  facts: _facts,
  declared: _declared,
  ...printedChange
} = plan.changes[0] as NonNullable<(typeof plan.changes)[0]>;
const { sourceLine: _line, ...printedNote } = plan.diagnostics[0] as NonNullable<
  (typeof plan.diagnostics)[0]
>;
const printed = { ...plan, changes: [printedChange], diagnostics: [printedNote], overview: noOverview };

const accepts: DocumentCheck = () => [];
const read = (document: unknown, check = accepts) =>
  parseDocuments(JSON.stringify(document), 'file.json', check);

/** The message and the hint of the error that reading a text causes. */
function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    const { name, code, message, hint } = error as Record<'name' | 'code' | 'message' | 'hint', string>;
    return `${name} ${code}: ${message}\n${hint}`;
  }
  return 'none';
}

test('a printed plan and a drift report are read without facts and with an empty overview', () => {
  for (const kind of ['plan', 'drift'] as const) {
    const document = documentOfPlan(plan, `attune.${kind}/1`);
    expect(read(document)).toEqual([{ kind, plan: printed }]);
    expect(Object.keys(document)).toEqual([
      'format',
      'organization',
      'address',
      'dialect',
      'summary',
      'risks',
      'changes',
      'unmanaged',
      'scope',
      'diagnostics',
      'effects',
      'digest',
    ]);
  }
});

test('a drift report has the risks of the live changes, and a plan has the risks of its changes', () => {
  const risks = (format: string) => (documentOfPlan(plan, format).risks as { field: string }[]).length;
  expect([risks('attune.plan/1'), risks('attune.drift/1')]).toEqual([1, 0]);
});

test('a saved plan keeps its facts and its overview, and has no source lines', () => {
  const saved = { ...plan, diagnostics: [printedNote] };
  expect(parsePlans(savePlans([plan]), 'plan.json', () => [])).toEqual([saved]);
  expect(parsePlans(savePlans([plan, plan]), 'plan.json', () => [])).toEqual([saved, saved]);
  expect(parseDocuments(savePlans([plan, plan]), 'plan.json', accepts)).toEqual([
    { kind: 'plan', plan: saved },
    { kind: 'plan', plan: saved },
  ]);
  expect(savePlans([plan])).toMatch(/^\{\n {2}"format": "attune\.plan\/1",\n[\s\S]*\n\}\n$/);
});

test('plans of several root files are saved and read with the file of each', () => {
  const roots = ['a.yaml', 'b.yaml'];
  const saved = savePlans([plan, plan], roots);
  expect(parseDocuments(saved, 'plan.json', accepts)).toMatchObject([{ root: 'a.yaml' }, { root: 'b.yaml' }]);
  expect(parsePlans(saved, 'plan.json', () => []).map(({ root }) => root)).toEqual(roots);
  expect(JSON.parse(saved)).toMatchObject({ format: 'attune.plans/1', roots });
});

test('a file of plans names no root file if one file has several plans, or if there are no plans', () => {
  expect(Object.keys(JSON.parse(savePlans([plan, plan], ['a.yaml', 'a.yaml'])))).toEqual(['format', 'plans']);
  expect(JSON.parse(savePlans([]))).toEqual({ format: 'attune.plans/1', plans: [] });
  expect(parseDocuments(savePlans([plan, plan]), 'plan.json', accepts).map((one) => 'root' in one)).toEqual([
    false,
    false,
  ]);
});

test('printed documents of several root files are read with the root files that have none', () => {
  const definitions: string[] = [];
  const failed = [{ root: 'c.yaml', diagnostics: [printedNote] }];
  const one = documentOfPlan(plan, 'attune.plan/1');
  const document = { format: 'attune.plans/1', roots: ['a.yaml'], failed, plans: [one, one] };
  const check: DocumentCheck = (definition, value) => {
    definitions.push(`${definition}: ${JSON.stringify(value).length > 80 ? '...' : JSON.stringify(value)}`);
    return [];
  };
  expect(read(document, check)).toEqual([
    { ...failed[0], kind: 'failed' },
    { kind: 'plan', plan: printed, root: 'a.yaml' },
    { kind: 'plan', plan: printed },
  ]);
  expect(definitions).toEqual(['failedRoots: ...', 'roots: ["a.yaml"]', 'plan: ...', 'plan: ...']);
  expect(
    refusal(() => read(document, (definition) => (definition.endsWith('oots') ? [definition] : []))),
  ).toBe(`AttuneError bad-plan-file: file.json is not a valid plans document: failedRoots; roots
run the command that wrote it again with this version of Attune`);
});

test('the error of a text that is not JSON has the cause, and that of an edited document has none', () => {
  const caught = (text: string) => {
    try {
      return parseDocuments(text, 'file.json', accepts);
    } catch (error) {
      return error as Error;
    }
  };
  expect(caught('{')).toHaveProperty('cause', expect.any(SyntaxError));
  expect(caught('{}')).not.toHaveProperty('cause');
});

test('a saved apply report is read with the result of each change', () => {
  const changes = [{ ...printedChange, result: 'done' }];
  const document = withDigest({ format: 'attune.apply/1', organization: 'acme', changes, scope: 'none' });
  const read1 = { organization: 'acme', changes, overview: { ...noOverview, scope: 'none' } };
  expect(read(document)).toEqual([
    { kind: 'apply', plan: read1, result: { plan: read1, changes, diagnostics: [] } },
  ]);
});

test('saved diagnostics of a run without a plan need no digest', () => {
  const document = { format: 'attune.diagnostics/1', diagnostics: [printedNote], file: 'attune.yaml' };
  expect(read(document)).toEqual([{ ...document, kind: 'diagnostics' }]);
});

test('each saved document is checked with the schema of its kind', () => {
  const definitions: string[] = [];
  const check: DocumentCheck = (definition) => {
    definitions.push(definition);
    return [];
  };
  read(documentOfPlan(plan, 'attune.plan/1'), check);
  read(documentOfPlan(plan, 'attune.drift/1'), check);
  read({ format: 'attune.diagnostics/1', diagnostics: [] }, check);
  parseDocuments(savePlans([plan]), 'plan.json', check);
  expect(definitions).toEqual(['plan', 'drift', 'diagnostics', 'savedPlan']);
});

// Functions, because what runs while a test file is loaded belongs to no test.
test.each<[string, () => string, string]>([
  [
    'ends early',
    () => '{"format": "attune.plan/1"',
    `file.json is not a complete document: it ends early or is not JSON
run the command that wrote it again`,
  ],
  [
    'has another format',
    () => JSON.stringify({ format: 'x'.repeat(101) }),
    `file.json is not a plan, drift or apply document of this version: its format is ${'x'.repeat(100)}
use files that \`attune plan --out\`, or plan, drift or apply with --format json, wrote`,
  ],
  [
    'has plans in another format',
    () => JSON.stringify({ format: 'other/1', plans: [] }),
    `file.json is not a plan, drift or apply document of this version: its format is other/1
use files that \`attune plan --out\`, or plan, drift or apply with --format json, wrote`,
  ],
  [
    'is a list without plans',
    () => JSON.stringify({ format: 'attune.plans/1', plans: 1 }),
    `file.json is not a plan, drift or apply document of this version: its format is attune.plans/1
use files that \`attune plan --out\`, or plan, drift or apply with --format json, wrote`,
  ],
  [
    'is no mapping',
    () => 'null',
    `file.json is not a plan, drift or apply document of this version: it has no format
use files that \`attune plan --out\`, or plan, drift or apply with --format json, wrote`,
  ],
  [
    'was edited',
    () => JSON.stringify({ ...documentOfPlan(plan, 'attune.plan/1'), organization: 'other' }),
    `file.json was modified after it was saved: its digest does not match
run the command that wrote it again`,
  ],
])('a saved document that %s is refused', (_, text, expected) => {
  expect(refusal(() => parseDocuments(text(), 'file.json', accepts))).toBe(
    `AttuneError bad-plan-file: ${expected}`,
  );
});

test.each<[string, () => string, string]>([
  [
    'ends early',
    () => '{"format": "attune.plan/1"',
    `plan.json is not a complete plan file: it ends early or is not JSON
save the plan again with \`attune plan --out\``,
  ],
  [
    'has another format',
    () => JSON.stringify({ format: 'x'.repeat(101) }),
    `plan.json is not a plan file of this version (attune.plan/1): its format is ${'x'.repeat(100)}
use a file that \`attune plan --out\` wrote`,
  ],
  [
    'is a list without plans',
    () => JSON.stringify({ format: 'attune.plans/1', plans: 1 }),
    `plan.json is not a plan file of this version (attune.plan/1): its format is attune.plans/1
use a file that \`attune plan --out\` wrote`,
  ],
  [
    'has an entry that is no plan',
    () => JSON.stringify({ format: 'attune.plans/1', plans: [1] }),
    `plan.json is not a plan file of this version (attune.plan/1): it has no format
use a file that \`attune plan --out\` wrote`,
  ],
  [
    'is no mapping',
    () => 'null',
    `plan.json is not a plan file of this version (attune.plan/1): it has no format
use a file that \`attune plan --out\` wrote`,
  ],
  [
    'was edited',
    () => savePlans([plan]).replace('acme', 'other'),
    `plan.json was modified after it was saved: its digest does not match
save the plan again with \`attune plan --out\``,
  ],
])('a plan file that %s is refused', (_, text, expected) => {
  expect(refusal(() => parsePlans(text(), 'plan.json', () => []))).toBe(
    `AttuneError bad-plan-file: ${expected}`,
  );
});

test('the error of a saved document shows the first three errors of the schema', () => {
  const errors = () => ['a', 'b', 'c', 'd'];
  expect(
    refusal(() => read(documentOfPlan(plan, 'attune.drift/1'), errors)),
  ).toBe(`AttuneError bad-plan-file: file.json is not a valid drift document: a; b; c
run the command that wrote it again with this version of Attune`);
  expect(
    refusal(() => parsePlans(savePlans([plan]), 'plan.json', errors)),
  ).toBe(`AttuneError bad-plan-file: plan.json is not a plan that can be applied: a; b; c
save the plan again with \`attune plan --out\` of this version of Attune`);
});
