import { expect, test } from 'vitest';
import { ids, idsToCheck, unknownIds } from '../../src/check/unknown-ids.ts';
import type { Live, LiveSource } from '../../src/live/read-live.ts';
import { type ListedObject, NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import type { Change } from '../../src/model/change.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Resource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { findings } from './findings.ts';

const location = { file: 'attune.yaml', line: 1, column: 2 };
const about = { action: 'update', kind: 'workspace', address: 'workspace.app', fields: [], location };
const change = (given: Partial<Record<keyof Change, unknown>>) =>
  ({ ...about, ...given }) as unknown as Change;

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
      { id: 'prj-1', name: 'owners', denied: [] },
      { id: 'prj-2', denied: [] },
    ],
    teams: [],
  };
  const source: Pick<LiveSource, 'objects' | 'workspaceIds'> = {
    objects: async (_organization, kind, { bindings } = {}) => {
      asked.push([kind, bindings]);
      const known = listed[kind];
      if (known === undefined) throw new NoLookUpError(kind, 'the service has none');
      return known;
    },
    workspaceIds: async (organization, wanted) => {
      asked.push([organization, ...wanted]);
      return new Set(existing.filter((id) => wanted.includes(id)));
    },
  };
  return { source, asked };
}

const placed = (found: readonly Diagnostic[]) =>
  found.map(({ message, location: at, address = '', hint = '' }) => {
    const place = at ? `${at.line}:${at.column}` : 'no line';
    return `${message.split(' ')[0]} at ${place} of ${address}: ${hint.replace(/^write the id.*/, 'write')}`;
  });

test('an id of a call is checked unless a live resource shows that it exists', () => {
  const fields = ['prj-1', 'prj-2', 'prj-3', 'prj-4', 'team-1', 'team-2', '{project.new}'].map((id) => ({
    path: id.startsWith('team') ? 'team' : 'project',
    after: id,
  }));
  const used = (live: Live) =>
    fields.flatMap((field) => idsToCheck([change({ fields: [field] })], live)).map(({ id }) => id);
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
  const sent = (given: Partial<Record<keyof Change, unknown>>) =>
    idsToCheck([change(given)], liveOf()).map(({ kind, id, address }) => `${kind} ${id} ${address}`);
  const pool = 'agent-pools apool-1 workspace.app';
  expect(sent({ fields, target })).toEqual([pool]);
  expect(sent({ action: 'create', fields, target })).toEqual([
    pool,
    'projects prj-1 workspace.app',
    'teams team-1 workspace.app',
  ]);
  expect(sent({ action: 'create' })).toEqual([]);
});

test('an unknown id is reported at each place in the files, or where it is used', async () => {
  const written = await configured(
    'projects: {ownerz: prj-9, other: prj-1}\nworkspaces: {app: {project: prj-9}, web: {project: prj-8}}\n',
  );
  const ofTeam = { kind: 'teams', id: 'prj-7', places: [{ location }] } as const;
  const configuration = { ...written, ids: [ofTeam, ...(written.ids ?? [])] };
  const { source, asked } = sourceOf();
  const used = [
    { kind: 'projects', id: 'prj-9', address: 'workspace.app' },
    { kind: 'projects', id: 'prj-9' },
    { kind: 'projects', id: 'prj-7', address: 'workspace.gone' },
    { kind: 'projects', id: 'prj-6', location },
    { kind: 'projects', id: 'prj-5' },
    { kind: 'projects', id: 'prj-2' },
    { kind: 'agent-pools', id: 'prj-7' },
    { kind: 'ssh-keys', id: 'sshkey-1' },
    { kind: 'ssh-keys', id: 'sshkey-2' },
  ] as const;
  const diagnostics = await unknownIds(used, { configuration, source });
  expect(placed(diagnostics).toSorted()).toEqual([
    '"prj-5" at no line of : write',
    '"prj-6" at 1:2 of : write',
    '"prj-7" at no line of workspace.gone: write',
    '"prj-9" at 3:20 of : did you mean "owners"?',
    '"prj-9" at 4:29 of : write',
  ]);
  expect(diagnostics[0]?.message).toBe('"prj-9" is not the id of a project of acme that this token may see');
  const kinds = ['projects', 'agent-pools', 'ssh-keys'];
  expect(asked).toEqual(kinds.map((kind) => [kind, false]));
  await unknownIds(used, { configuration, source, bindings: true });
  expect(asked.slice(3)).toEqual(kinds.map((kind) => [kind, true]));
});

test('an error other than a missing list fails the look-up of ids, and a source without lists checks none', async () => {
  const error = new Error('offline');
  const configuration = await configured('');
  const look = (objects: LiveSource['objects']) =>
    unknownIds(
      [
        { kind: 'teams', id: 'team-1' },
        { kind: 'workspaces', id: 'ws-1' },
      ],
      { configuration, source: { objects, workspaceIds: undefined } },
    );
  await expect(look(() => Promise.reject(error))).rejects.toBe(error);
  expect(await look(undefined)).toEqual([]);
});

test('only consumers that are added by an id and not read are looked up', async () => {
  const configuration = await configured(
    'workspaces: {app: {remote-state-consumers: [ws-1111111111111111, ws-2222222222222222]}}\n',
  );
  const add = ['ws-1111111111111111', 'ws-2222222222222222', 'ws-3', 'ws-4', '{workspace.new}'];
  const path = 'remote-state-consumers';
  const fields = [
    { path: 'description', after: 'new' },
    { path, add, remove: ['ws-5'] },
  ];
  const changes = [
    change({ fields }),
    change({ address: 'workspace.web', fields }),
    change({ address: 'workspace.none', fields: [{ path, after: [] }] }),
  ];
  const names = new Map([['ws-4', 'named']]);
  const { source, asked } = sourceOf(['ws-1111111111111111']);
  const check = async (given: Partial<Live>, from: object = source) => {
    const live = liveOf([{ kind: 'workspace', id: 'ws-3', attributes: {} }], { names, ...given });
    return placed(
      await findings(ids, { difference: { changes }, live, configuration, source: from, query: {} }),
    );
  };
  const hint = 'write the name of a workspace of acme, or remove the entry';
  expect(await check({})).toEqual([
    `"ws-2222222222222222" at 3:66 of workspace.app: ${hint}`,
    `"ws-2222222222222222" at 1:2 of workspace.web: ${hint}`,
  ]);
  expect(asked).toEqual([['acme', 'ws-1111111111111111', 'ws-2222222222222222']]);
  expect(await check({ whole: true })).toHaveLength(4);
  expect(await check({}, { ...source, workspaceIds: undefined })).toEqual([]);
  expect(asked).toHaveLength(1);
});
