import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentOfPlan, withDigest } from '../../src/apply/plan-document.ts';
import { operations, type Plan } from '../../src/model/plan.ts';
import type { DeleteMode } from '../../src/model/state.ts';
import { canonicalDigest } from '../../src/model/value.ts';
import { endpointOf } from '../../src/plan/operation-endpoints.ts';
import { readPlanFile } from '../../src/run/files/input-files.ts';
import { planFiles } from '../../src/run/use-cases.ts';
import { type DocumentCheck, parseDocuments, parsePlans, savePlans } from '../../src/saved/plan-file.ts';
import { endpoints } from '../../src/service/endpoints.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const printedChange = {
  address: 'workspace.app',
  kind: 'workspace',
  name: 'app',
  id: 'ws-app',
  action: 'update',
  fields: [{ path: 'auto-apply', before: false, after: true }],
  calls: [],
  dependsOn: [],
} as const;
const printedNote = {
  severity: 'note',
  code: 'x',
  message: 'x',
  location: { file: 'attune.yaml', line: 1, column: 1 },
} as const;
const overview = { workspaces: [], grants: [], scope: 'whole' } as const;
const plan: Plan = {
  organization: 'acme',
  address: 'embedded',
  dialect: 'iac',
  summary: { create: 0, update: 1, delete: 0, unchanged: 0, calls: 0 },
  changes: [{ ...printedChange, facts: { exists: true }, declared: 'sha256:1' }],
  unmanaged: [],
  diagnostics: [{ ...printedNote, sourceLine: 'attune: 1' }],
  effects: { stateAccess: [], moves: [] },
  overview,
};
/** What reports get of a printed plan, and of a saved one. */
const printed = { ...plan, changes: [printedChange], diagnostics: [printedNote], overview };
const risk = { kind: 'auto-apply', address: 'workspace.app', path: 'auto-apply' } as const;
const risks = { plan: [{ ...risk, before: false, after: true }], drift: [] };
const saved = { ...plan, diagnostics: [printedNote] };

const accepts: DocumentCheck = () => [];
const read = (document: unknown, check = accepts) =>
  parseDocuments(JSON.stringify(document), 'file.json', check);

/** The error that reading a text causes, with its hint. */
function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    const { code, message, hint } = error as Record<'code' | 'message' | 'hint', string>;
    return `${code}: ${message}; ${hint}`;
  }
  return 'none';
}

test('a printed plan and a drift report are read with their risks, without facts and with an empty overview', () => {
  for (const kind of ['plan', 'drift'] as const) {
    const document = documentOfPlan(plan, `attune.${kind}/1`);
    expect(read(document)).toEqual([{ kind, plan: printed, risks: risks[kind] }]);
    expect(Object.keys(document).join(' ')).toBe(
      'format organization address dialect summary risks changes unmanaged scope diagnostics effects digest',
    );
  }
});

test('a saved plan keeps its facts and its overview, and has no source lines', () => {
  expect(parsePlans(savePlans([plan]), 'plan.json', accepts)).toEqual([saved]);
  expect(parseDocuments(savePlans([plan, plan]), 'plan.json', accepts)).toEqual([
    { kind: 'plan', plan: saved },
    { kind: 'plan', plan: saved },
  ]);
  expect(savePlans([plan])).toMatch(/^\{\n {2}"format": "attune\.plan\/1",\n[\s\S]*\n\}\n$/);
});

test('plans of several root files are saved and read with the file of each, unless one file has several plans', () => {
  const roots = ['a.yaml', 'b.yaml'];
  const text = savePlans([plan, plan], roots);
  expect(JSON.parse(text)).toMatchObject({ format: 'attune.plans/1', roots });
  expect(parseDocuments(text, 'plan.json', accepts)).toMatchObject([{ root: 'a.yaml' }, { root: 'b.yaml' }]);
  const rootsIn = (written: string) => parsePlans(written, 'plan.json', accepts).map(({ root }) => root);
  expect(rootsIn(text)).toEqual(roots);
  expect(rootsIn(text.replace('"a.yaml"', '1'))).toEqual([undefined, 'b.yaml']);
  expect(Object.keys(JSON.parse(savePlans([plan, plan], ['a.yaml', 'a.yaml'])))).toEqual(['format', 'plans']);
  expect(JSON.parse(savePlans([]))).toEqual({ format: 'attune.plans/1', plans: [] });
});

test('printed documents of several root files are read with the root files that have none', () => {
  const failed = [{ root: 'c.yaml', diagnostics: [printedNote] }];
  const one = documentOfPlan(plan, 'attune.plan/1');
  const document = { format: 'attune.plans/1', roots: ['a.yaml'], failed, plans: [one, one] };
  expect(read(document)).toEqual([
    { ...failed[0], kind: 'failed' },
    { kind: 'plan', plan: printed, risks: risks.plan, root: 'a.yaml' },
    { kind: 'plan', plan: printed, risks: risks.plan },
  ]);
  expect(
    refusal(() => read(document, (definition) => (definition.endsWith('oots') ? [definition] : []))),
  ).toBe(
    'bad-plan-file: file.json is not a valid plans document: failedRoots; roots; run the command that wrote it again with this version of Attune',
  );
});

test('a saved apply report is read with the result of each change, and diagnostics need no digest', () => {
  const changes = [{ ...printedChange, result: 'done' }];
  const planned = {
    organization: 'acme',
    changes: [printedChange],
    overview: { ...overview, scope: 'none' },
  };
  expect(
    read(withDigest({ format: 'attune.apply/1', organization: 'acme', changes, risks: [], scope: 'none' })),
  ).toEqual([
    { kind: 'apply', plan: planned, risks: [], result: { plan: planned, changes, diagnostics: [] } },
  ]);
  const document = { format: 'attune.diagnostics/1', diagnostics: [printedNote], file: 'attune.yaml' };
  expect(read(document)).toEqual([{ ...document, kind: 'diagnostics' }]);
});

test('each saved document is checked with the schema of its kind, of which the first three errors are shown', () => {
  const definitions: string[] = [];
  const check: DocumentCheck = (definition) => {
    if (!definition.endsWith('oots')) definitions.push(definition);
    return [];
  };
  read(documentOfPlan(plan, 'attune.plan/1'), check);
  read(documentOfPlan(plan, 'attune.drift/1'), check);
  read({ format: 'attune.diagnostics/1', diagnostics: [] }, check);
  parseDocuments(savePlans([plan]), 'plan.json', check);
  parsePlans(savePlans([plan]), 'plan.json', check);
  expect(definitions).toEqual(['plan', 'drift', 'diagnostics', 'savedPlan', 'savedPlan']);
  const errors: DocumentCheck = (name) => (name.endsWith('oots') ? [] : ['a', 'b', 'c', 'd']);
  expect(refusal(() => parsePlans(savePlans([plan]), 'plan.json', errors))).toBe(
    'bad-plan-file: plan.json is not a valid saved plan: a; b; c; run the command that wrote it again with this version of Attune',
  );
  expect(refusal(() => read(documentOfPlan(plan, 'attune.drift/1'), errors))).toContain(
    'file.json is not a valid drift document: a; b; c;',
  );
});

const other = 'x'.repeat(101);
test.each(rowsIn<[text: string, ofPlans: string, ofDocuments: string]>`
- ['{"format": "attune.plan/1"', "is not a complete document: it ends early or is not JSON; use", same]
- ['{"format": "OTHER"}', "is not a plan file of this version (attune.plan/1): its format is SHOWN; use", "is not a plan, drift or apply document of this version: its format is SHOWN; use"]
- ['{"format": "attune.plans/1", "plans": 1}', "is not a plan file of this version (attune.plan/1): its format is attune.plans/1; use", "is not a plan, drift or apply document of this version: its format is attune.plans/1; use"]
- ['{"format": "attune.plans/1", "plans": [1]}', "is not a plan file of this version (attune.plan/1): it has no format; use", "is not a plan, drift or apply document of this version: it has no format; use"]
- ['{"format": "attune.plan/2", "plans": [1]}', "is not a plan file of this version (attune.plan/1): its format is attune.plan/2; use", "is not a plan, drift or apply document of this version: its format is attune.plan/2; use"]
- ['{"format": 1}', "is not a plan file of this version (attune.plan/1): it has no format; use", "is not a plan, drift or apply document of this version: it has no format; use"]
- ['null', "is not a plan file of this version (attune.plan/1): it has no format; use", "is not a plan, drift or apply document of this version: it has no format; use"]
- ['EDITED', "was modified after it was saved: its digest does not match; run", same]
`)('a file with the text %s is refused as a plan file and as a document', (text, ofPlans, ofDocuments) => {
  const given = text === 'EDITED' ? savePlans([plan]).replace('acme', 'other') : text.replace('OTHER', other);
  const shown = (expected: string) => `bad-plan-file: file.json ${expected.replace('SHOWN', other.slice(1))}`;
  expect(refusal(() => parsePlans(given, 'file.json', accepts))).toContain(shown(ofPlans));
  const expected = shown(ofDocuments === 'same' ? ofPlans : ofDocuments);
  expect(refusal(() => parseDocuments(given, 'file.json', accepts))).toContain(expected);
});

test('the error of a text that is not JSON has the cause, and that of another document has none', () => {
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

const yaml = `attune: 1
organization: acme
workspaces:
  network: {auto-apply: true, tags: [prod], remote-state-consumers: [app]}
  new: {}
  old: {state: absent}
team-access: {prj-platform: {team-sre: admin}}
limits: {delete-percent: 100}
`;
const seed = {
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre' },
  workspaces: { network: {}, app: {}, old: {} },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

/** Sets the value at a path of a document; undefined removes it. */
function edited(text: string, path: string, value: unknown): Record<string, unknown> {
  const document = JSON.parse(text);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const holder = keys.reduce((node, key) => node[key], document);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return document;
}

test.each(['plan', 'journal'])('the schema of a %s has every operation and the method of each', (name) => {
  const file = join(import.meta.dirname, '..', '..', 'schemas', `${name}.schema.json`);
  const { operation, method, mode } = JSON.parse(readFileSync(file, 'utf8')).$defs.call.properties;
  expect(operation.enum).toEqual(operations);
  const calls = operations.flatMap((each) => mode.enum.map((given: DeleteMode) => [each, given] as const));
  const methods = calls.map(([each, given]) => endpoints[endpointOf({ operation: each, mode: given })][0]);
  expect([...method.enum].sort()).toEqual([...new Set(methods)].sort());
});

test('a plan file is refused wherever it was edited, and accepted with another layout of its lines', async () => {
  const { folder, service } = await worldWith(yaml, { seed });
  const settings = { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' }, address: service.url };
  await planFiles([], { ...settings, out: 'plan.json' });
  const text = await readFile(join(folder, 'plan.json'), 'utf8');
  const result = async (content: string) => {
    await writeFile(join(folder, 'plan.json'), content);
    return readPlanFile('plan.json', folder).then(
      (plans) => String(plans.length),
      (error: Error & { readonly code: string }) => `${error.code}: ${error.message}`,
    );
  };
  expect([await result(text), await result(JSON.stringify(JSON.parse(text)))]).toEqual(['1', '1']);
  // Without a value, the member is removed.
  for (const [path, value] of rowsIn<[path: string, value?: unknown]>`
- [organization, other]
- [summary, {create: 0, update: 0, delete: 0, unchanged: 0, calls: 0}]
- [changes, []]
- [changes.0.calls, []]
- [changes.2.fields, []]
- [changes.0.facts, {exists: true}]
- [changes.0.facts]
- [changes.3.id, ws-other]
- [changes.2.dependsOn, [workspace.app]]
- [diagnostics, [{severity: note, code: fine, message: fine}]]
- [effects, {stateAccess: [], moves: []}]
- [comment, looks good]
- [digest, sha256:0000000000000000000000000000000000000000000000000000000000000000]
- [digest]
`)
    expect(await result(JSON.stringify(edited(text, path, value))), path).toBe(
      'bad-plan-file: plan.json was modified after it was saved: its digest does not match',
    );
  for (const [path, value, place] of rowsIn<[path: string, value: unknown, place: string]>`
- [changes.0.calls, [{operation: addTags, method: GET, path: /}], /changes/0/calls/0/method]
- [changes.0.calls, [{method: PATCH, path: /}], "/changes/0/calls/0 must have required property 'operation'"]
- [changes.0.calls, [{operation: deleteWorkspace, method: DELETE, path: /}], "/changes/0/calls/0 must have required property 'mode'"]
- [changes.0.action, replace, /changes/0/action]
- [changes.0.facts, null, /changes/0]
- [comment, x, it]
- [organization, "acme\e[31m", /organization]
- [changes.0.address, "workspace.\e[31m", /changes/0/address]
- [changes.0.name, "\e[31m", /changes/0/name]
- [changes.0.id, "ws-\e[31m", /changes/0/id]
- [changes.0.calls, [{operation: addTags, method: POST, path: "/\e[31m"}], /changes/0/calls/0/path]
- [changes.2.fields, [{path: "tags\e[31m", before: null, after: x}], /changes/2/fields/0/path]
- [diagnostics, [{severity: note, code: "\e[31m", message: x}], /diagnostics/0/code]
`) {
    const { digest: _former, ...document } = edited(text, path, value);
    const found = await result(JSON.stringify({ ...document, digest: canonicalDigest(document) }));
    expect(found).toContain(`bad-plan-file: plan.json is not a valid saved plan: ${place}`);
    expect(found).not.toContain('\u001b');
  }
});
