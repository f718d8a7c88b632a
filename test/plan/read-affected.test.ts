import { expect, test } from 'vitest';
import { diff } from '../../src/diff/diff.ts';
import { type LiveQuery, readsNothing } from '../../src/live/live-query.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import { AttuneError } from '../../src/model/attune-error.ts';
import type { ProjectResource, Resource, WorkspaceResource } from '../../src/model/state.ts';
import { liveQueryOf } from '../../src/plan/live-query-of.ts';
import { readAffected } from '../../src/plan/read-affected.ts';
import { configured } from '../desired/printed-problems.ts';

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
async function affected(yaml: string, read: Live, answer: (query: LiveQuery) => Live) {
  const configuration = await configured(yaml);
  const queries: Partial<LiveQuery>[] = [];
  const source = {
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
    { scope: { projects: ['prj-a', 'prj-b'] } },
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
