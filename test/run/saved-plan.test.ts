import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalDigest } from '../../src/model/value.ts';
import { readPlanFile } from '../../src/run/files/input-files.ts';
import { planFiles } from '../../src/run/use-cases.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

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

type Document = Record<string, unknown>;

/** A plan file of four changes, and what reading an edit of it fails with. */
async function saved() {
  const { folder, service } = await worldWith(yaml, { seed });
  const settings = { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' }, address: service.url };
  await planFiles([], { ...settings, out: 'plan.json' });
  const text = await readFile(join(folder, 'plan.json'), 'utf8');
  return {
    text,
    async read(content: string) {
      await writeFile(join(folder, 'plan.json'), content);
      return readPlanFile('plan.json', folder).then(
        (plans) => plans.length,
        (error: Error & { readonly code: string }) => `${error.code}: ${error.message}`,
      );
    },
  };
}

/** Sets the value at a path; undefined removes it. */
function edited(document: Document, path: string, value: unknown): Document {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const holder = keys.reduce<Document>((node, key) => node[key] as Document, document);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return document;
}

// Without a value, the member is removed.
test.each(rowsIn<[path: string, value?: unknown]>`
- [organization, other]
- [address, https://iac.example.com]
- [dialect, terraform]
- [summary, {create: 0, update: 0, delete: 0, unchanged: 0, calls: 0}]
- [changes, []]
- [changes.0.calls, []]
- [changes.2.fields, []]
- [changes.0.facts, {exists: true}]
- [changes.0.facts]
- [changes.3.id, ws-other]
- [changes.2.dependsOn, [workspace.app]]
- [changes.1.name, now]
- [diagnostics, [{severity: note, code: fine, message: fine}]]
- [effects, {stateAccess: [], moves: []}]
- [comment, looks good]
- [digest, sha256:0000000000000000000000000000000000000000000000000000000000000000]
- [digest]
`)('a plan file whose %s was edited to %j is refused', async (path, value) => {
  const { text, read } = await saved();
  const changed = JSON.stringify(edited(JSON.parse(text), path, value));
  const expected = 'bad-plan-file: plan.json was modified after it was saved: its digest does not match';
  expect(await read(changed)).toBe(expected);
});

test.each(rowsIn<[path: string, value: unknown, place: string]>`
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
`)('a plan file with a fitting digest and an invalid %s is refused: %j', async (path, value, place) => {
  const { text, read } = await saved();
  const { digest: _former, ...document } = edited(JSON.parse(text), path, value);
  const result = await read(JSON.stringify({ ...document, digest: canonicalDigest(document) }));
  expect(result).toContain(`bad-plan-file: plan.json is not a plan that can be applied: ${place}`);
  expect(result).not.toContain('\u001b');
});

test('a plan file with another layout of its lines is the same plan', async () => {
  const { text, read } = await saved();
  expect([await read(text), await read(JSON.stringify(JSON.parse(text)))]).toEqual([1, 1]);
});
