import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { reported, type Stage, stage } from './stage.ts';

const path = '/organizations/acme/projects';
const dialect = 'terraform' as const;
const created =
  'projects: {shop: {name: Shop, manage: true, description: ours, tag-bindings: {env: prod}}}\nworkspaces: {app: {project: shop}}\n';
const lookUp = 'GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings';

/** Creates the project for another user. */
async function createdByAnother({ client, service }: Stage, attributes: Record<string, Value>) {
  const bindings = { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] };
  const relationships = { 'tag-bindings': bindings };
  const data = { type: 'projects', attributes: { name: 'Shop', ...attributes }, relationships };
  await client.send({ method: 'POST', path, body: { data } });
  service.clearRequests();
}

describe('a project whose create lost its answer', () => {
  test('a project whose create lost its answer is adopted if the service created it as it was sent', async () => {
    const { service, apply, requests } = await stage(created, { seed: {}, dialect });
    service.setFaults([{ kind: 'cut-after', method: 'POST', path, nth: 1 }]);
    expect(reported(await apply())).toEqual(['done project.shop 1', 'done workspace.app 1']);
    expect(await requests()).toEqual([`POST ${path}`, lookUp, 'POST /organizations/acme/workspaces']);
  });

  test('a project whose create lost its answer is created again if the service did not get the request', async () => {
    const { service, apply, writes } = await stage(created, { seed: {}, dialect });
    service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
    expect(reported(await apply())).toEqual(['done project.shop 1', 'done workspace.app 1']);
    expect(await writes()).toEqual([`POST ${path}`, `POST ${path}`, 'POST /organizations/acme/workspaces']);
  });

  test('the create of a project fails if a project of that name has other values', async () => {
    const scene = await stage(created, { seed: {}, dialect });
    await createdByAnother(scene, { description: 'theirs' });
    scene.service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
    expect(reported(await scene.apply())).toEqual([
      'failed project.shop 0',
      `  POST ${path}: the response was lost, and project "Shop" differs from the request: description was sent as "ours" and is "theirs"; plan again to manage the existing project, or choose another name for the new one`,
      'skipped workspace.app 0',
      '  needs project.shop, which failed',
    ]);
  });

  test('the create of a project fails if a project of that name lacks a key/value tag', async () => {
    const scene = await stage(created.replace('env: prod', 'env: prod, team: sre'), { seed: {}, dialect });
    await createdByAnother(scene, { description: 'ours' });
    scene.service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
    expect(reported(await scene.apply())[1]).toContain(
      'differs from the request: tag-bindings differ (-team=sre);',
    );
  });
});

test('the create of a project fails with a hint if another user took its name', async () => {
  const scene = await stage(created, { seed: {}, dialect });
  await createdByAnother(scene, { description: 'theirs' });
  expect(reported(await scene.apply())).toEqual([
    'failed project.shop 0',
    `  POST ${path} answered 422: Name has already been taken (/data/attributes/name); plan again: the project was created after the plan, or this token may not see it`,
    'skipped workspace.app 0',
    '  needs project.shop, which failed',
  ]);
});

describe('the delete of a project', () => {
  const yaml = 'projects: {shop: {name: Shop, manage: true, state: absent}}\n';
  const seed = { projects: { Shop: 'prj-shop', Core: 'prj-core' }, settings: { 'default-project': 'Core' } };

  test('the delete of a project is done if the answer to it was lost', async () => {
    const { service, apply, writes } = await stage(yaml, { seed, dialect });
    service.setFaults([{ kind: 'cut-after', method: 'DELETE', path: '/projects/*', nth: 1 }]);
    expect(reported(await apply())).toEqual(['done project.shop 1']);
    expect(await writes()).toEqual(['DELETE /projects/prj-shop']);
  });

  test('the delete of a project is done if the project is gone', async () => {
    const { apply, client, writes } = await stage(yaml, { seed, dialect });
    await client.send({ method: 'DELETE', path: '/projects/prj-shop' });
    expect(reported(await apply())).toEqual(['done project.shop 0']);
    expect(await writes()).toEqual(['DELETE /projects/prj-shop', 'DELETE /projects/prj-shop']);
  });

  test('the delete of a project fails with 404 if the project can still be read', async () => {
    const { service, apply } = await stage(yaml, { seed, dialect });
    service.setFaults([{ kind: 'status', status: 404, method: 'DELETE', path: '/projects/*' }]);
    expect(reported(await apply())).toEqual([
      'failed project.shop 0',
      '  DELETE /projects/prj-shop answered 404: not found, or this token may not see it',
    ]);
  });

  test('the delete of a project fails if another user created a workspace in it after the plan', async () => {
    const { apply, client } = await stage(yaml, { seed, dialect });
    const relationships = { project: { data: { type: 'projects', id: 'prj-shop' } } };
    const body = { data: { type: 'workspaces', attributes: { name: 'new' }, relationships } };
    await client.send({ method: 'POST', path: '/organizations/acme/workspaces', body });
    expect(reported(await apply())).toEqual([
      'failed project.shop 0',
      '  DELETE /projects/prj-shop answered 422: Project cannot be deleted because it has workspaces. Delete or move them first',
    ]);
  });
});

describe('a workspace with key/value tags whose create lost its answer', () => {
  const yaml = 'workspaces: {app: {tag-bindings: {env: prod}}}\n';
  const workspaces = '/organizations/acme/workspaces';

  test('a workspace with key/value tags is adopted if the service created it as it was sent', async () => {
    const { service, apply, requests } = await stage(yaml, { seed: {}, dialect });
    service.setFaults([{ kind: 'cut-after', method: 'POST', path: workspaces, nth: 1 }]);
    expect(reported(await apply())).toEqual(['done workspace.app 1']);
    expect(await requests()).toEqual([
      `POST ${workspaces}`,
      `GET ${workspaces}/app?include=effective_tag_bindings`,
    ]);
  });

  test('the create of a workspace fails if the existing one lacks a key/value tag', async () => {
    const { service, apply, client } = await stage(yaml, { seed: {}, dialect });
    const body = { data: { type: 'workspaces', attributes: { name: 'app' } } };
    await client.send({ method: 'POST', path: workspaces, body });
    service.setFaults([{ kind: 'cut-before', method: 'POST', path: workspaces, nth: 1 }]);
    expect(reported(await apply())[1]).toContain(
      'differs from the request: tag-bindings differ (-env=prod);',
    );
  });
});

describe('key/value tags that are added', () => {
  const yaml = 'workspaces: {app: {tag-bindings: {add: {env: prod}}}}\n';
  const seed = { workspaces: { app: {} } };
  const at = '/workspaces/*/tag-bindings';

  test('key/value tags that are added are sent again if the answer was lost', async () => {
    const { service, apply, writes } = await stage(yaml, { seed, dialect });
    service.setFaults([{ kind: 'cut-after', method: 'PATCH', path: at, nth: 1 }]);
    expect(reported(await apply())).toEqual(['done workspace.app 1']);
    expect(await writes()).toHaveLength(2);
  });
});

test('a key/value tag that the organization reserves fails with the detail of the service', async () => {
  const yaml =
    'workspaces: {app: {tag-bindings: {env: dev}}, web: {tag-bindings: {add: {env: dev}}}, new: {project: prj-shop, tag-bindings: {env: dev}}, last: {}}\n';
  const seed = {
    projects: { Shop: { id: 'prj-shop', 'tag-bindings': { env: 'prod' } } },
    settings: { 'reserved-tag-keys': ['env'] },
    workspaces: { app: { project: 'Shop' }, web: { project: 'Shop' } },
  };
  const { apply } = await stage(yaml, { seed, dialect });
  const detail =
    'the key env is reserved and cannot override the value that is inherited from the project (/data/relationships/tag-bindings)';
  expect(reported(await apply())).toEqual([
    'done workspace.last 1',
    'failed workspace.new 0',
    `  POST /organizations/acme/workspaces answered 422: ${detail}`,
    'failed workspace.app 0',
    `  PATCH /workspaces/<id> answered 422: ${detail}`,
    'failed workspace.web 0',
    `  PATCH /workspaces/<id>/tag-bindings answered 422: ${detail}`,
  ]);
});
