import { expect, test } from 'vitest';
import { diff } from '../../src/diff/diff.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { Declared, ProjectResource, Resource, WorkspaceResource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';

const workspace: WorkspaceResource = {
  kind: 'workspace',
  address: 'workspace.app',
  name: 'app',
  id: 'ws-app',
  attributes: { project: 'prj-1', tags: [], lock: { locked: false } },
};
const project: ProjectResource = {
  kind: 'project',
  address: 'project.web',
  name: 'web',
  id: 'prj-web',
  attributes: { name: 'web', description: 'words' },
};

/** The change from a live resource to one that an undo declares, which no file can. */
async function changed(declared: Declared | undefined, live: Resource | undefined, resource: Resource) {
  const bare = await configured('');
  const { attributes: _attributes, ...rest } = resource;
  const desired = { ...rest, attributes: {}, ...(declared && { declared }) } as Resource;
  const configuration = {
    ...bare,
    desired: { organization: 'acme', resources: new Map([[desired.address, desired]]) },
  };
  const state: Live = {
    state: { organization: 'acme', resources: new Map(live ? [[live.address, live]] : []) },
    dialect: 'terraform',
    whole: true,
    scopeWhole: true,
    names: new Map(),
    projects: [],
    missing: [],
    diagnostics: [],
  };
  const { changes } = diff(configuration, state, { purpose: 'undo' });
  return changes[0];
}

test('a workspace that does not exist is recovered if its declaration names the item that keeps it', async () => {
  const recovers = { workspace: 'ws-app', item: 'item-1' };
  expect(await changed({ recovers }, undefined, workspace)).toMatchObject({ action: 'create', recovers });
  const plain = await changed(undefined, undefined, workspace);
  expect(plain).toMatchObject({ action: 'create' });
  expect(plain).toHaveProperty('recovers', undefined);
  expect(await changed({ recovers }, workspace, workspace)).toBeUndefined();
});

test('a deletion has the settings that must be unchanged only if its declaration has them', async () => {
  const unchanged = ['name', 'description'];
  for (const live of [workspace, project]) {
    const absent = { absent: 'safe' } as const;
    expect(await changed({ ...absent, unchanged }, live, live)).toMatchObject({
      action: 'delete',
      unchanged,
    });
    const plain = await changed(absent, live, live);
    expect(plain).toMatchObject({ action: 'delete' });
    expect(plain).toHaveProperty('unchanged', undefined);
  }
});
