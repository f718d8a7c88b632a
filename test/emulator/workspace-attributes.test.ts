import { expect, it } from 'vitest';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import type { AttributePath } from '../../src/model/attribute-values.ts';
import { attributePaths } from '../../src/model/attributes.ts';
import type { AttributeSpec } from '../../src/model/rows.ts';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

const plain = attributePaths.filter((path) => !path.includes('.'));
/** Attributes that may not be sent alone, or whose shown value depends on others. */
const coupled: readonly AttributePath[] = ['agent-pool-id', 'execution-mode', 'operations', 'iac-version'];

function sample(path: AttributePath): unknown {
  const spec: AttributeSpec = workspaceAttributes[path];
  if (path === 'auto-destroy-activity-duration') return '14d';
  if (spec.compare === 'instant') return '2030-01-02T03:04:05Z';
  if (spec.type === 'boolean') return !spec.default;
  return spec.type === 'strings' ? ['modules/*'] : 'text';
}

/** The dialect that has the attribute. */
const dialectOf = (path: AttributePath) => workspaceAttributes[path].only ?? 'iac';

function wrongType(path: AttributePath): unknown {
  return workspaceAttributes[path].type === 'boolean' ? 'yes' : 7;
}

it('a create with only a name gets every default of the table', async () => {
  const { ask } = await serve();
  const { attributes } = (await ask('POST', list, workspaceBody({ name: 'bare' }))).body.data;
  for (const path of plain) {
    if (coupled.includes(path) || dialectOf(path) !== 'iac') continue;
    expect(attributes[path], path).toEqual(workspaceAttributes[path].default);
  }
  expect(attributes).toMatchObject({
    'execution-mode': 'remote',
    operations: true,
    'agent-pool-id': null,
    'vcs-repo': null,
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
  });
  expect(attributes['iac-version']).toMatch(/^\d+\.\d+\.\d+$/);
});

it.each(plain.filter((path) => !coupled.includes(path)))(
  'the attribute %s is stored by a create and kept by an update',
  async (path) => {
    const { ask } = await serve({ dialect: dialectOf(path) });
    const created = await ask('POST', list, workspaceBody({ name: 'w', [path]: sample(path) }));
    expect(created.body.data.attributes[path]).toEqual(sample(path));
    const updated = await ask('PATCH', `${list}/w`, workspaceBody({ 'allow-destroy-plan': false }));
    expect(updated.body.data.attributes[path]).toEqual(path === 'allow-destroy-plan' ? false : sample(path));
  },
);

it.each(attributePaths)('the attribute %s of a wrong type is 422 with its pointer', async (path) => {
  const { ask } = await serve({ dialect: dialectOf(path) });
  const [holder, key] = path.split('.');
  const attributes = key ? { [holder ?? '']: { [key]: wrongType(path) } } : { [path]: wrongType(path) };
  const { status, body } = await ask('POST', list, workspaceBody({ name: 'w', ...attributes }));
  expect(status).toBe(422);
  const pointers = body.errors.map((error: { source?: { pointer: string } }) => error.source?.pointer);
  expect(pointers).toContain(`/data/attributes/${path.replace('.', '/')}`);
});

// The live service ignores null where it clears nothing.
it.each(plain.filter((path) => dialectOf(path) === 'iac'))(
  'null clears %s if the table allows null, and is refused otherwise',
  async (path) => {
    const { ask } = await serve();
    await ask(
      'POST',
      list,
      workspaceBody({ name: 'w', ...(!coupled.includes(path) && { [path]: sample(path) }) }),
    );
    const { status, body } = await ask('PATCH', `${list}/w`, workspaceBody({ [path]: null }));
    if (workspaceAttributes[path].nullable) expect([status, body.data.attributes[path]]).toEqual([200, null]);
    else expect(status).toBe(422);
  },
);

const shown = {
  attributes: `actions auto-destroy-status inherits-project-auto-destroy created-at updated-at latest-change-at
    last-assessment-result-at environment locked locked-reason oauth-client-name permissions apply-duration-average
    plan-duration-average policy-check-failures run-failures workspace-kpis-runs-count resource-count source
    structured-run-output-enabled tag-names vcs-repo-identifier`,
  relationships: `agent-pool current-configuration-version current-run latest-run current-state-version
    current-assessment-result organization outputs project readme remote-state-consumers ssh-key locked-by vars`,
} as const;

it.each(['attributes', 'relationships'] as const)('a workspace has all read-only %s', async (member) => {
  const { ask } = await serve({ seed: { workspaces: { w: {} } } });
  const { data } = (await ask('GET', `${list}/w`)).body;
  expect(Object.keys(data[member])).toEqual(expect.arrayContaining(shown[member].split(/\s+/)));
});

it('the permissions of a workspace have the 21 documented entries, all true for an owner', async () => {
  const { ask } = await serve({ seed: { workspaces: { w: {} } } });
  const { permissions } = (await ask('GET', `${list}/w`)).body.data.attributes;
  expect(Object.keys(permissions)).toHaveLength(21);
  expect(new Set(Object.values(permissions))).toEqual(new Set([true]));
});

it('the same creates give the same ids in any order, and a reused name gets a new id', async () => {
  const ids = async (names: readonly string[]) => {
    const { ask } = await serve();
    const created = [];
    for (const name of names) created.push((await ask('POST', list, workspaceBody({ name }))).body.data.id);
    return created.sort();
  };
  expect(await ids(['a', 'b'])).toEqual(await ids(['b', 'a']));
  const { ask } = await serve();
  const first = await ask('POST', list, workspaceBody({ name: 'a' }));
  await ask('DELETE', `${list}/a`);
  const second = await ask('POST', list, workspaceBody({ name: 'a' }));
  expect(second.body.data.id).not.toBe(first.body.data.id);
});
