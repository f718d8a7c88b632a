import { expect, test } from 'vitest';
import {
  ids,
  idsToCheck,
  listedObjects,
  type UsedId,
  unknownIds,
  unknownWorkspaces,
  unlistedKinds,
} from '../../src/check/unknown-ids.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import { type ListedObject, NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import type { Change } from '../../src/model/change.ts';
import type { Resource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { findings } from './findings.ts';

const location = { file: 'attune.yaml', line: 1, column: 2 };

const change = (given: Partial<Record<keyof Change, unknown>>) =>
  ({
    action: 'update',
    kind: 'workspace',
    address: 'workspace.app',
    fields: [],
    ...given,
  }) as unknown as Change;

const liveOf = (resources: readonly object[] = [], given: Partial<Live> = {}): Live => ({
  ...emptyLive,
  state: {
    organization: 'acme',
    resources: new Map(resources.map((one, index) => [String(index), one as Resource])),
  },
  ...given,
});

/** A source that lists teams and projects, and what it is asked. */
function sourceOf(existing: readonly string[] = []) {
  const asked: unknown[] = [];
  const listed: Partial<Record<AliasKind, readonly ListedObject[]>> = {
    projects: [
      { id: 'prj-1', name: 'Alpha', denied: [] },
      { id: 'prj-2', denied: [] },
    ],
    teams: [],
  };
  const source: Pick<LiveSource, 'objects' | 'workspaceIds'> = {
    objects: async (_organization, kind, options) => {
      asked.push([kind, options]);
      const known = listed[kind];
      if (known === undefined) throw new NoLookUpError(kind, 'the service has none');
      return known;
    },
    workspaceIds: async (organization, ids) => {
      asked.push([organization, ...ids]);
      return new Set(existing.filter((id) => ids.includes(id)));
    },
  };
  return { source, asked };
}

const shown = (found: Awaited<ReturnType<typeof unknownIds>>) =>
  found.map(({ message, location: at, address, hint }) => [
    message,
    at && `${at.line}:${at.column}`,
    address,
    hint,
  ]);

test('an id of a call is checked unless a live resource shows that it exists', () => {
  const fields = ['prj-1', 'prj-2', 'prj-3', 'prj-4', 'team-1', 'team-2', '{project.new}'].map((id) => ({
    path: id.startsWith('team') ? 'team' : 'project',
    after: id,
  }));
  const used = (live: Live) =>
    fields.flatMap((field) => idsToCheck([change({ fields: [field], location })], live)).map(({ id }) => id);
  expect(used(liveOf())).toEqual(['prj-1', 'prj-2', 'prj-3', 'prj-4', 'team-1', 'team-2']);
  const resources = [
    { kind: 'project', id: 'prj-2', attributes: {} },
    { kind: 'project', attributes: {} },
    { kind: 'workspace', id: 'prj-4', attributes: { project: 'prj-3' } },
    { kind: 'workspace', attributes: {} },
    { kind: 'team-access', id: 'team-2', attributes: { project: 'prj-1', team: 'team-1' } },
  ];
  expect(used(liveOf(resources))).toEqual(['prj-4', 'team-2']);
  // Some services answer the list of grants of a project that does not exist with an empty page.
  expect(used(liveOf([], { projects: ['prj-1'] }))).toContain('prj-1');
});

test('a call sends the ids of its fields, and those of a new resource', () => {
  const fields = [
    { path: 'agent-pool-id', after: 'apool-1' },
    { path: 'ssh-key', after: null },
    { path: 'description', after: 'prj-1' },
  ];
  const target = { attributes: { project: 'prj-1', team: 'team-1', access: 'read' } };
  const sent = (...changes: Change[]) =>
    idsToCheck(changes, liveOf()).map(({ kind, id, address, location: at }) => [kind, id, address, at]);
  const of = (kind: string, id: string) => [kind, id, 'workspace.app', location];
  const pool = of('agent-pools', 'apool-1');
  expect(sent(change({ fields, target, location }))).toEqual([pool]);
  expect(sent(change({ action: 'create', fields, target, location }))).toEqual([
    pool,
    of('projects', 'prj-1'),
    of('teams', 'team-1'),
  ]);
  expect(sent(change({ action: 'create', location }))).toEqual([]);
});

test('an unknown id is reported at each place in the files, or where it is used', async () => {
  const written = await configured(
    'projects: {alphq: prj-9, other: prj-1}\nworkspaces: {app: {project: prj-9}, web: {project: prj-8}}\n',
  );
  const ofTeam = { kind: 'teams', id: 'prj-7', places: [{ location }] } as const;
  const configuration = { ...written, ids: [ofTeam, ...(written.ids ?? [])] };
  const { source, asked } = sourceOf();
  const message = (id: string, noun: string) =>
    `"${id}" is not the id of a ${noun} of acme that this token may see`;
  const hint = 'write the id or the name of a project of acme';
  const used: UsedId[] = [
    { kind: 'projects', id: 'prj-9', address: 'workspace.app' },
    { kind: 'projects', id: 'prj-9' },
    { kind: 'projects', id: 'prj-7', address: 'workspace.gone' },
    { kind: 'projects', id: 'prj-6', location },
    { kind: 'projects', id: 'prj-5' },
    { kind: 'projects', id: 'prj-2' },
    { kind: 'agent-pools', id: 'prj-7' },
  ];
  const found = await unknownIds(used, { configuration, source });
  const alias = found.find(({ hint: text }) => text?.startsWith('did you mean'));
  expect(shown(alias ? [alias] : [])).toEqual([
    [message('prj-9', 'project'), '3:19', undefined, 'did you mean "Alpha"?'],
  ]);
  expect(shown(found.filter((one) => one !== alias))).toEqual([
    [message('prj-9', 'project'), '4:29', undefined, hint],
    [message('prj-7', 'project'), undefined, 'workspace.gone', hint],
    [message('prj-6', 'project'), '1:2', undefined, hint],
    [message('prj-5', 'project'), undefined, undefined, hint],
  ]);
  for (const one of found) expect(Object.values(one)).not.toContain(undefined);
  const noBindings = { bindings: false };
  expect(asked).toEqual([
    ['projects', noBindings],
    ['agent-pools', noBindings],
  ]);
  await unknownIds(used, { configuration, source, bindings: true });
  expect(asked.slice(2)).toEqual([
    ['projects', { bindings: true }],
    ['agent-pools', { bindings: true }],
  ]);
});

test('kinds of ids that the service does not list are found once', async () => {
  const configuration = await configured('workspaces: {}\n');
  const { source, asked } = sourceOf();
  const used: UsedId[] = [
    { kind: 'ssh-keys', id: 'sshkey-1' },
    { kind: 'projects', id: 'prj-1' },
    { kind: 'agent-pools', id: 'apool-1' },
    { kind: 'ssh-keys', id: 'sshkey-2' },
  ];
  expect(await unlistedKinds(used, { configuration, source })).toEqual(['ssh-keys', 'agent-pools']);
  const noBindings = { bindings: false };
  expect(asked).toEqual([
    ['ssh-keys', noBindings],
    ['projects', noBindings],
    ['agent-pools', noBindings],
  ]);
});

test('an error other than a missing list fails the look-up of ids', async () => {
  const error = new Error('offline');
  const failing = { objects: () => Promise.reject(error) };
  await expect(listedObjects(failing, 'acme', 'teams')).rejects.toBe(error);
  expect(await listedObjects({ objects: undefined }, 'acme', 'teams')).toBeUndefined();
});

test('only consumers that are added by an id and not read are looked up', async () => {
  const configuration = await configured(
    'workspaces: {app: {remote-state-consumers: [ws-1111111111111111, ws-2222222222222222]}}\n',
  );
  const add = ['ws-1111111111111111', 'ws-2222222222222222', 'ws-3', 'ws-4', '{workspace.new}'];
  const lists = [
    { path: 'description', after: 'new' },
    { path: 'remote-state-consumers', add, remove: ['ws-5'] },
  ];
  const changes = [
    change({ fields: lists, location }),
    change({ address: 'workspace.web', fields: lists, location }),
    change({ address: 'workspace.none', fields: [{ path: 'remote-state-consumers', after: [] }] }),
  ];
  const resources = [{ kind: 'workspace', id: 'ws-3', attributes: {} }];
  const names = new Map([['ws-4', 'named']]);
  const { source, asked } = sourceOf(['ws-1111111111111111']);
  const unknown = (id: string, address: string, at: string | undefined) => [
    `"${id}" is not the id of a workspace of acme that this token may see`,
    at,
    address,
    'write the name of a workspace of acme, or remove the entry',
  ];
  const check = async (live: Live, from = source) =>
    shown(await findings(ids, { difference: { changes }, live, configuration, source: from, query: {} }));
  expect(await check(liveOf(resources, { names }))).toEqual([
    unknown('ws-2222222222222222', 'workspace.app', '3:66'),
    unknown('ws-2222222222222222', 'workspace.web', '1:2'),
  ]);
  expect(asked).toEqual([['acme', 'ws-1111111111111111', 'ws-2222222222222222']]);
  expect(await check(liveOf(resources, { names, whole: true }))).toHaveLength(4);
  expect(await check(liveOf(resources, { names }), { ...source, workspaceIds: undefined })).toEqual([]);
  expect(await unknownWorkspaces([], { configuration, source })).toEqual([]);
  expect(asked).toHaveLength(1);
});
