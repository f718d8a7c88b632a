import { expect, test } from 'vitest';
import { readDeclaredMoves } from '../../src/access/read-move-access.ts';
import { type LiveQuery, readsNothing } from '../../src/live/live-query.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import { AttuneError } from '../../src/model/attune-error.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Resource } from '../../src/model/state.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { configured } from '../desired/load-files.ts';

const note: Diagnostic = { severity: 'note', code: 'known', message: 'it was read before' };

const liveOf = (
  workspaces: Readonly<Record<string, string | undefined>>,
  given: Partial<Live> = {},
): Live => ({
  state: {
    organization: 'acme',
    resources: new Map(
      Object.entries(workspaces).map(([name, project]) => [
        `workspace.${name}`,
        {
          kind: 'workspace',
          address: `workspace.${name}`,
          name,
          attributes: { project },
        } as unknown as Resource,
      ]),
    ),
  },
  dialect: 'terraform',
  whole: false,
  scopeWhole: false,
  projects: ['prj-known'],
  names: new Map(),
  missing: [],
  diagnostics: [note],
  ...given,
});

const grant = {
  kind: 'team-access',
  address: 'team-access.x/y',
  name: 'x/y',
  attributes: {},
} as unknown as Resource;

async function readMoves(yaml: string, live: Live, error?: Error) {
  const queries: LiveQuery[] = [];
  const source = {
    read: async (query: LiveQuery): Promise<Live> => {
      queries.push(query);
      if (error) throw error;
      const resources = new Map([...live.state.resources, [grant.address, grant]]);
      return { ...live, state: { ...live.state, resources }, projects: query.projects };
    },
  } as unknown as LiveSource;
  return { live: await readDeclaredMoves(source, live, await configured(yaml)), queries };
}

const moving = 'projects: {a: prj-a, b: prj-b}\nworkspaces: {app: {project: a}}\n';

test('a snapshot reads the access to the projects of workspaces that the files move', async () => {
  const yaml = `
projects: {a: prj-a, b: prj-b}
workspaces:
  app: {project: a}
  twice: {project: a}
  known: {project: a}
  renamed: {project: a, renamed-from: former}
  stays: {project: b}
  none: {}
  new: {project: a}
  unplaced: {project: a}
`;
  const before = liveOf({
    ...{ app: 'prj-z', twice: 'prj-z', known: 'prj-known', former: 'prj-d', stays: 'prj-b' },
    ...{ none: 'prj-n', unplaced: undefined },
  });
  const { live, queries } = await readMoves(yaml, before);
  const query = { organization: 'acme', dialect: 'terraform', ...readsNothing };
  expect(queries).toEqual([
    { ...query, projects: ['prj-d'] },
    { ...query, projects: ['prj-z'] },
  ]);
  expect(live.projects).toEqual(['prj-known', 'prj-d', 'prj-z']);
  expect([...live.state.resources.keys()]).toEqual([...before.state.resources.keys(), grant.address]);
  expect(live.diagnostics).toEqual([note]);
});

test('without moves, or without team access on the service, no access is read', async () => {
  for (const before of [liveOf({ app: 'prj-a' }), liveOf({ app: 'prj-z' }, { missing: ['team-access'] })]) {
    const { live, queries } = await readMoves(moving, before);
    expect(queries).toEqual([]);
    expect(live).toBe(before);
  }
});

test('access that may not be read has a note that shows the project', async () => {
  const refused = (status: number) => new ServiceError({ method: 'GET', path: '/team-projects' }, status, []);
  const lacking = new AttuneError('it lacks it', { code: 'bad-snapshot' });
  for (const error of [refused(403), refused(404), lacking]) {
    const { live } = await readMoves(moving, liveOf({ app: 'prj-z' }), error);
    expect(live.diagnostics).toEqual([
      note,
      expect.objectContaining({
        severity: 'note',
        message: expect.stringMatching(/^the team access of prj-z is unknown/),
      }),
    ]);
    expect(live.projects).toEqual(['prj-known']);
  }
});

test('another error of a read of access fails the read', async () => {
  const errors = [
    new ServiceError({ method: 'GET', path: '/team-projects' }, 500, []),
    Object.assign(new Error('no error of the service'), { status: 404 }),
    Object.assign(new Error('no error of a snapshot'), { code: 'bad-snapshot' }),
    new AttuneError('refused', { code: 'other' }),
  ];
  for (const error of errors)
    await expect(readMoves(moving, liveOf({ app: 'prj-z' }), error)).rejects.toBe(error);
});
