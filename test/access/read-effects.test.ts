import { expect, test } from 'vitest';
import { readForEffects } from '../../src/access/read-effects.ts';
import { type LiveQuery, readsNothing } from '../../src/live/live-query.ts';
import type { LiveSource } from '../../src/live/read-live.ts';
import type { Change } from '../../src/model/change.ts';
import { AttuneError } from '../../src/model/diagnostic.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { emptyLive } from '../support/empty-plan.ts';

const at = (project: string) => ({ attributes: { project } });
const move = { kind: 'workspace', action: 'update', fields: [], live: at('prj-1'), target: at('prj-2') };

/** Reads the effects of a move; the reads of grants, of settings or of workspaces fail. */
function reading(failing: keyof LiveQuery, error: Error) {
  const read = async (query: LiveQuery) => {
    if (query[failing]?.toString()) throw error;
    return { ...emptyLive, projects: query.projects };
  };
  const query = { organization: 'acme', ...readsNothing };
  const changes = [move as unknown as Change];
  return readForEffects({ read } as unknown as LiveSource, emptyLive, {
    query,
    changes,
    shown: (_kind, id) => id,
  });
}

test('an error of a read for effects fails the plan, unless the token or a snapshot may not have what is read', async () => {
  const status = (code: number) => new ServiceError({ method: 'GET', path: '/x' }, code, []);
  const errors = [
    new Error('offline'),
    Object.assign(new Error('of another kind'), { code: 'bad-snapshot' }),
    Object.assign(new Error('of another kind'), { status: 403 }),
    new AttuneError('refused', { code: 'other' }),
    status(500),
    status(401),
  ];
  for (const failing of ['projects', 'managedProjects', 'scopes'] as const)
    for (const error of errors) await expect(reading(failing, error)).rejects.toBe(error);
  for (const failing of ['projects', 'managedProjects'] as const)
    expect((await reading(failing, status(403))).diagnostics[0]).toMatchObject({ code: 'effects-unread' });
  // The plan of a workspace that may not be listed is not complete.
  await expect(reading('scopes', status(403))).rejects.toMatchObject({ status: 403 });
});

test('the access of a project of which the token sees a part is unknown', async () => {
  const listed = ['prj-1', 'prj-2'].map((id) => ({ id, denied: id === 'prj-1' ? ['can-read-teams'] : [] }));
  const source = {
    read: async (query: LiveQuery) => ({ ...emptyLive, projects: query.projects }),
    objects: async () => listed,
  } as unknown as LiveSource;
  const live = { ...emptyLive, projects: ['prj-1', 'prj-3'] };
  const query = { organization: 'acme', ...readsNothing };
  const changes = [move as unknown as Change];
  const read = await readForEffects(source, live, { query, changes, shown: (_kind, id) => id });
  // Only a move depends on the list.
  const unasked = { ...source, objects: () => Promise.reject(new Error('offline')) };
  expect(await readForEffects(unasked, live, { query, changes: [], shown: String })).toBe(live);
  expect(read.projects).toEqual(['prj-3', 'prj-2']);
  expect(read.diagnostics).toMatchObject([
    { code: 'effects-unread', message: expect.stringContaining('prj-1') },
  ]);
});
