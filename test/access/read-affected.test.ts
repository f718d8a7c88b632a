import { expect, test } from 'vitest';
import { readAffected } from '../../src/access/read-affected.ts';
import { diff } from '../../src/diff/diff.ts';
import type { AccessFacts } from '../../src/live/access-facts.ts';
import { type LiveQuery, readsNothing } from '../../src/live/live-query.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import { AttuneError } from '../../src/model/attune-error.ts';
import type { ProjectResource, Resource, WorkspaceResource } from '../../src/model/state.ts';
import { liveQueryOf } from '../../src/resolve/live-query-of.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { configured } from '../desired/load-files.ts';

const workspace = (name: string, attributes: object, id = `ws-${name}`): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  id,
  attributes: { tags: [], lock: { locked: false }, ...attributes } as WorkspaceResource['attributes'],
});

const project = (id: string): ProjectResource => ({
  kind: 'project',
  address: `project.${id}`,
  name: id,
  id,
  attributes: { name: id, 'tag-bindings': { env: id } } as ProjectResource['attributes'],
});

const liveOf = (resources: readonly Resource[], names: readonly [string, string][] = []): Live => ({
  state: { organization: 'acme', resources: new Map(resources.map((one) => [one.address, one])) },
  dialect: 'terraform',
  whole: false,
  scopeWhole: false,
  projects: [],
  names: new Map(names),
  missing: [],
  diagnostics: [],
});

const moving = 'projects: {a: prj-a}\nworkspaces: {app: {project: a}}\n';
const first = liveOf(
  [workspace('app', { project: 'prj-b', 'tag-bindings': { own: 'first' } })],
  [['x', 'first']],
);

/** Reads what a plan of the configuration affects, with an answer or an error for each query. */
async function affected(yaml: string, read: Live, answer: (query: LiveQuery) => Live, access?: AccessFacts) {
  const configuration = await configured(yaml);
  const queries: Partial<LiveQuery>[] = [];
  const source = {
    access,
    read: async ({ organization: _organization, dialect: _dialect, ...query }: LiveQuery) => {
      queries.push(Object.fromEntries(Object.entries(query).filter(([key]) => !(key in readsNothing))));
      return answer({ organization: 'acme', ...query });
    },
  } as unknown as LiveSource;
  const live = await readAffected(source, read, {
    query: liveQueryOf(configuration),
    changes: diff(configuration, read).changes,
    shown: (id) => ({ 'prj-a': 'zeta', 'prj-b': 'beta' })[id] ?? id,
  });
  return { live, queries };
}

const failing = (error: Error) => () => {
  throw error;
};
const lacking = failing(new AttuneError('it lacks them', { code: 'bad-snapshot' }));

test('a snapshot without the projects of a move leaves the effects unknown, with sorted notes', async () => {
  const { live, queries } = await affected(moving, first, lacking);
  expect(queries).toEqual([
    { managedProjects: ['prj-a', 'prj-b'], bindings: true },
    { scopes: [{ projects: ['prj-a', 'prj-b'] }] },
  ]);
  const note = (message: string) => ({
    severity: 'note',
    code: 'effects-unread',
    message,
    hint: 'record a snapshot of the whole organization with `attune snapshot --everything --out`',
  });
  expect(live.diagnostics).toEqual([
    note(
      'the snapshot does not contain the settings of beta, zeta: what changes in the settings that workspaces inherit is unknown',
    ),
    note(
      'the snapshot does not contain every workspace of beta, zeta: the effects of moves and creates on undeclared ones are unknown',
    ),
  ]);
  expect(live.wholeProjects).toEqual([]);
});

test('an error of a read that affects a plan fails it, unless a snapshot lacks the resources', async () => {
  const errors = [
    new Error('offline'),
    Object.assign(new Error('of another kind'), { code: 'bad-snapshot' }),
  ];
  for (const error of [...errors, new AttuneError('refused', { code: 'other' })])
    await expect(affected(moving, first, failing(error))).rejects.toBe(error);
  const request = { method: 'GET', path: '/organizations/acme/projects' } as const;
  const ofProjects = [
    ...[401, 500].map((status) => new ServiceError(request, status, [])),
    Object.assign(new Error('of another kind'), { status: 403 }),
  ];
  for (const error of ofProjects) {
    const answer = ({ managedProjects }: LiveQuery) => {
      if (managedProjects) throw error;
      return liveOf([]);
    };
    await expect(affected(moving, first, answer)).rejects.toBe(error);
  }
});

test('settings of projects that the token may not list are unknown, with a hint about the token', async () => {
  const request = { method: 'GET', path: '/organizations/acme/projects' } as const;
  const { live } = await affected(moving, first, ({ managedProjects }) => {
    if (managedProjects) throw new ServiceError(request, 403, []);
    return liveOf([]);
  });
  expect(live.diagnostics).toMatchObject([
    { code: 'effects-unread', hint: 'use a token that may list the projects of the organization' },
  ]);
});

test('the workspaces of a scope that was read are read again only for the key/value tags that a move changes', async () => {
  const read = { ...first, scopeWhole: true };
  const scope = 'scope: {projects: [a, prj-b]}\nprune: {workspaces: safe}\n';
  const reads = async (yaml: string, tags = project) => {
    const { queries, live } = await affected(`${scope}${yaml}`, read, ({ managedProjects }) =>
      managedProjects ? liveOf([project('prj-c'), tags('prj-a'), tags('prj-b')]) : liveOf([]),
    );
    expect(live.wholeProjects).toEqual(['prj-a', 'prj-b']);
    return queries;
  };
  const settings = { managedProjects: ['prj-a', 'prj-b'], bindings: true };
  const same = (id: string) => ({ ...project(id), attributes: project('prj-c').attributes });
  expect(await reads(moving)).toEqual([
    settings,
    { scopes: [{ projects: ['prj-a', 'prj-b'] }], bindings: true },
  ]);
  expect(await reads(moving, same)).toEqual([settings]);
  const declaring = 'projects: {a: prj-a}\nworkspaces: {app: {project: a, tag-bindings: {own: first}}}\n';
  expect(await reads(declaring)).toEqual([settings]);
});

test('only a workspace that is created without a project reads the default project', async () => {
  const yaml =
    'limits: {delete-percent: 100}\nworkspaces: {gone: {state: absent}, web: {setting-overwrites: {execution-mode: false}}}\n';
  const read = liveOf([
    workspace('gone', {}),
    workspace('web', { 'execution-mode': 'local', 'setting-overwrites.execution-mode': true }),
  ]);
  const asked: string[] = [];
  const facts = async (organization: string) => {
    asked.push(organization);
    return {
      isReadable: true,
      document: {
        ...{ id: 'acme', type: 'organizations', attributes: {} },
        relationships: { 'default-project': { data: { id: 'prj-a', type: 'projects' } } },
      },
    };
  };
  const access = { organization: facts } as unknown as AccessFacts;
  expect((await affected(yaml, read, () => liveOf([]), access)).queries).toEqual([]);
  expect(asked).toEqual([]);
  const created = await affected('workspaces: {new: {}}\n', liveOf([]), () => liveOf([]), access);
  expect([asked, created.live.defaultProject, created.live.wholeProjects]).toEqual([
    ['acme'],
    'prj-a',
    ['prj-a'],
  ]);
});

test('a plan without moves and creates reads nothing more, and keeps its live state', async () => {
  const deleting =
    'limits: {delete-percent: 100}\nworkspaces: {app: {state: absent}, web: {description: new}}\n';
  const read = liveOf([...first.state.resources.values(), workspace('web', { project: 'prj-b' })]);
  const { live, queries } = await affected(deleting, read, lacking);
  expect(queries).toEqual([]);
  expect(live).toBe(read);
});

test('what was compared stays as it was read first, with the key/value tags that it lacks', async () => {
  const members = liveOf(
    [
      workspace('renamed', { project: 'prj-c', 'tag-bindings': { own: 'second' } }, 'ws-app'),
      workspace('web', { project: 'prj-b', 'tag-bindings': { own: 'web' }, 'inherited-tag-bindings': {} }),
      workspace('plain', { project: 'prj-b', description: 'second' }),
      workspace('other', { project: 'prj-b' }),
      workspace('taken', { project: 'prj-b' }, 'ws-second'),
    ],
    [
      ['x', 'second'],
      ['y', 'second'],
    ],
  );
  const own = workspace('web', { project: 'prj-b' });
  const plain = workspace('plain', { project: 'prj-b', description: 'first' });
  const taken = workspace('taken', { project: 'prj-b' }, 'ws-first');
  const read = liveOf([...first.state.resources.values(), own, plain, taken], [['x', 'first']]);
  const { live } = await affected(moving, read, ({ managedProjects }) =>
    managedProjects ? liveOf([project('prj-a'), project('prj-b')]) : members,
  );
  expect([...live.names]).toEqual([
    ['x', 'first'],
    ['y', 'second'],
  ]);
  expect([...live.state.resources.values()]).toStrictEqual([
    ...first.state.resources.values(),
    {
      ...own,
      attributes: { ...own.attributes, 'tag-bindings': { own: 'web' }, 'inherited-tag-bindings': {} },
    },
    plain,
    taken,
    project('prj-a'),
    project('prj-b'),
    workspace('other', { project: 'prj-b' }),
  ]);
  expect(live.wholeProjects).toEqual(['prj-a', 'prj-b']);
});
