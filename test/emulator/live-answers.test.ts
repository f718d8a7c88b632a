import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { workspaceBody } from '../support/ask.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

/** The shapes of the live service's answers, from its published interface: schemas by path, method and status. */
const published = JSON.parse(
  await readFile(new URL('./fixtures/live-answers.json', import.meta.url), 'utf8'),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'published', components: convert(published.components) as object });

/** OpenAPI 3.0 has `nullable` where JSON Schema has `null`. References lead to the components, which are compiled once. */
function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === '$ref' ? `published${value}` : convert(value)]),
  );
  return nullable === true ? { anyOf: [{ type: 'null' }, rest] } : rest;
}

function problems(schema: unknown, document: unknown): string[] {
  const check = ajv.compile(convert(schema) as object);
  check(document);
  return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

const seed = {
  projects: { Payments: { id: 'prj-payments', description: 'Money' } },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  'ssh-keys': { deploy: 'sshkey-1' },
  'agent-pools': { onprem: 'apool-1' },
  'vcs-connections': { github: 'ot-1' },
  workspaces: {
    full: {
      id: 'ws-full',
      project: 'Payments',
      tags: ['prod'],
      'tag-bindings': { env: 'prod', team: null },
      'execution-mode': 'agent',
      'agent-pool-id': 'onprem',
      'vcs-repo': { identifier: 'acme/full', 'oauth-token-id': 'github' },
      'ssh-key': 'deploy',
      'remote-state-consumers': ['bare'],
      'data-retention': { 'delete-older-than-days': 3 },
      run: {},
      state: { outputs: { vpc: 'vpc-1' } },
      readme: 'text',
      locked: { by: 'team-sre' },
    },
    bare: { id: 'ws-bare' },
    free: { id: 'ws-free' },
    gone: { id: 'ws-gone' },
    gone2: { id: 'ws-gone2' },
    gone3: { id: 'ws-gone3' },
    gone4: {},
  },
  'team-access': { Payments: { sre: { access: 'custom' } } },
} as const;

/** One good request for each published operation, by the ids of the seed: the operation, the path and the body. */
const requests = new Map(
  rowsIn<[string, string, unknown?]>`
- [get /organizations, /organizations]
- ['get /organizations/{organization_name}', '/organizations/acme?include=entitlement_set,default-project']
- ['get /organizations/{organization_name}/projects', /organizations/acme/projects]
- ['get /projects/{project_id}', /projects/prj-payments]
- ['get /organizations/{organization_name}/teams', /organizations/acme/teams]
- ['get /teams/{team_id}', /teams/team-sre]
- ['get /organizations/{organization_name}/ssh-keys', /organizations/acme/ssh-keys]
- ['get /ssh-keys/{ssh_key_id}', /ssh-keys/sshkey-1]
- ['get /organizations/{organization_name}/workspaces', '/organizations/acme/workspaces?include=current_run']
- ['post /organizations/{organization_name}/workspaces', /organizations/acme/workspaces, {type: workspaces, attributes: {name: new}}]
- ['get /organizations/{organization_name}/workspaces/{workspace_name}', /organizations/acme/workspaces/full]
- ['patch /organizations/{organization_name}/workspaces/{workspace_name}', /organizations/acme/workspaces/full, {type: workspaces, attributes: {}}]
- ['delete /organizations/{organization_name}/workspaces/{workspace_name}', /organizations/acme/workspaces/gone]
- ['post /organizations/{organization_name}/workspaces/{workspace_name}/actions/safe-delete', /organizations/acme/workspaces/gone2/actions/safe-delete]
- ['get /workspaces/{workspace_id}', /workspaces/ws-bare]
- ['patch /workspaces/{workspace_id}', /workspaces/ws-bare, {type: workspaces, attributes: {description: x}}]
- ['delete /workspaces/{workspace_id}', /workspaces/ws-gone3]
- ['post /workspaces/{workspace_id}/actions/safe-delete', /workspaces/ws-gone/actions/safe-delete]
- ['post /workspaces/{workspace_id}/actions/lock', /workspaces/ws-bare/actions/lock]
- ['post /workspaces/{workspace_id}/actions/unlock', /workspaces/ws-bare/actions/unlock]
- ['post /workspaces/{workspace_id}/actions/force-unlock', /workspaces/ws-full/actions/force-unlock]
- ['get /workspaces/{workspace_id}/relationships/remote-state-consumers', /workspaces/ws-full/relationships/remote-state-consumers]
- ['post /workspaces/{workspace_id}/relationships/remote-state-consumers', /workspaces/ws-full/relationships/remote-state-consumers, [{type: workspaces, id: ws-free}]]
- ['patch /workspaces/{workspace_id}/relationships/remote-state-consumers', /workspaces/ws-full/relationships/remote-state-consumers, [{type: workspaces, id: ws-free}]]
- ['delete /workspaces/{workspace_id}/relationships/remote-state-consumers', /workspaces/ws-full/relationships/remote-state-consumers, [{type: workspaces, id: ws-free}]]
- ['patch /workspaces/{workspace_id}/relationships/ssh-key', /workspaces/ws-full/relationships/ssh-key, {type: workspaces, attributes: {id: null}}]
- ['get /workspaces/{workspace_id}/relationships/tag-bindings', /workspaces/ws-full/relationships/tag-bindings]
- ['post /workspaces/{workspace_id}/relationships/tag-bindings', /workspaces/ws-full/relationships/tag-bindings, [{type: tag-bindings, attributes: {key: a, value: b}}]]
- ['patch /workspaces/{workspace_id}/relationships/tag-bindings', /workspaces/ws-full/relationships/tag-bindings, [{type: tag-bindings, attributes: {key: a, value: b}}]]
- ['get /workspaces/{workspace_id}/effective-tag-bindings', /workspaces/ws-full/effective-tag-bindings]
- ['get /workspaces/{workspace_id}/relationships/tags', /workspaces/ws-full/relationships/tags]
- ['post /workspaces/{workspace_id}/relationships/tags', /workspaces/ws-full/relationships/tags, [{type: tags, attributes: {name: eu}}]]
- ['delete /workspaces/{workspace_id}/relationships/tags', /workspaces/ws-full/relationships/tags, [{type: tags, attributes: {name: prod}}]]
- ['get /workspaces/{workspace_id}/relationships/data-retention-policy', /workspaces/ws-full/relationships/data-retention-policy]
- ['patch /workspaces/{workspace_id}/relationships/data-retention-policy', /workspaces/ws-full/relationships/data-retention-policy, {type: data-retention-policy-delete-olders, attributes: {deleteOlderThanNDays: 5}}]
- ['delete /workspaces/{workspace_id}/relationships/data-retention-policy', /workspaces/ws-full/relationships/data-retention-policy]
- [get /team-projects, '/team-projects?filter[project][id]=prj-payments']
- [post /team-projects, /team-projects, {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-dev}}}}]
- ['get /team-projects/{team_project_id}', /team-projects/GRANT]
- ['patch /team-projects/{team_project_id}', /team-projects/GRANT, {type: team-projects, attributes: {access: admin}}]
- ['delete /team-projects/{team_project_id}', /team-projects/GRANT]
`.map(([operation, path, data]) => [operation, { path, body: data === undefined ? undefined : { data } }]),
);
/** The pages have 200, the published interface has 201: clients take any 2xx. */
const statuses: Readonly<Record<string, string>> = { 'post /team-projects': '200' };

const operations = Object.entries<Record<string, Record<string, unknown>>>(published.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, answers]) => ({ operation: `${method} ${path}`, method, answers })),
);

it.each(operations)(
  'the answer to $operation in the terraform dialect has the published shape',
  async ({ operation, method, answers }) => {
    const request = requests.get(operation);
    expect(request, 'a request for every published operation').toBeDefined();
    const { ask } = await serve({ seed, dialect: 'terraform', edition: 'self-hosted' });
    if (operation.endsWith('/actions/unlock')) await ask('POST', '/workspaces/ws-bare/actions/lock');
    const [first] = (await ask('GET', '/team-projects?filter[project][id]=prj-payments')).body.data;
    const { status, body } = await ask(
      method.toUpperCase(),
      (request?.path ?? '').replace('GRANT', first.id),
      request?.body,
    );
    const [documented = ''] = Object.keys(answers);
    expect(String(status)).toBe(statuses[operation] ?? documented);
    if (answers[documented] === null) expect(body).toBeUndefined();
    else expect(problems(answers[documented], body)).toEqual([]);
  },
);

it('errors in the terraform dialect have the published shape', async () => {
  const { ask } = await serve({ dialect: 'terraform' });
  const { body } = await ask('POST', '/organizations/acme/workspaces', workspaceBody({ name: 'a b' }));
  expect(problems(published.components.schemas.errors, body)).toEqual([]);
});
