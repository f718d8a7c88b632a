import { expect, test } from 'vitest';
import { type LiveQuery, readsNothing } from '../../src/live/live-query.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import { AttuneError } from '../../src/model/diagnostic.ts';
import type { Resource } from '../../src/model/state.ts';
import { withSimilarNames, workspacesLike } from '../../src/resolve/needed-names.ts';
import { configured } from '../desired/load-files.ts';

const resourcesOf = (...names: readonly string[]) =>
  new Map(
    names.map((name) => [
      `workspace.${name}`,
      { kind: 'workspace', name, attributes: {} } as unknown as Resource,
    ]),
  );

/** A source that finds one workspace, or fails, and what it is asked. */
function sourceOf(error?: Error) {
  const asked: LiveQuery[] = [];
  const source = {
    read: async (query: LiveQuery) => {
      asked.push(query);
      if (error) throw error;
      return { state: { resources: resourcesOf('found') } };
    },
  } as unknown as LiveSource;
  return { source, asked };
}

const service = { organization: 'acme', dialect: 'terraform' } as const;

async function searched(consumers: readonly string[], live: Partial<Live> = {}) {
  const { source, asked } = sourceOf();
  const entries = consumers.map((name) => JSON.stringify(name)).join(', ');
  const configuration = await configured(
    `workspaces: {app: {remote-state-consumers: [${entries}]}, shop: {remote-state-consumers: {add: [twice], remove: [away, {tag: eu}]}}, left: {remote-state-consumers: [outside]}}\nteam-access: {prj-1: {team-a: read}}\n`,
  );
  const read = {
    ...service,
    whole: false,
    state: { organization: 'acme', resources: resourcesOf('live') },
    ...live,
  };
  const { similarNames: names = [] } = await withSimilarNames(
    { names: new Map(), ...read } as unknown as Live,
    configuration,
    { source, chosen: (address) => address !== 'workspace.left' },
  );
  return { names, patterns: asked.map(({ scopes }) => scopes?.[0]?.names), asked };
}

test('names of consumers that are neither declared nor live are searched by their halves, five at most', async () => {
  const { names, asked } = await searched(['twice', 'shop', 'live', 'abc', 'abcd', 'ws-5fNIQfKYVqCuu2Mw']);
  expect(names).toEqual(['found']);
  const query = { ...service, ...readsNothing };
  expect(asked).toEqual([{ ...query, scopes: [{ names: ['twi*', '*ce', 'ab*', '*cd'] }] }]);
  const { patterns } = await searched(['one1', 'two2', 'three3', 'four4', 'five5', 'six6']);
  expect(patterns).toEqual([['on*', '*e1', 'tw*', '*o2', 'thr*', '*ee3', 'fou*', '*r4', 'fiv*', '*e5']]);
});

test('no names are searched if all workspaces were read', async () => {
  expect(await searched(['unknown'], { whole: true })).toMatchObject({ names: [], asked: [] });
});

test('without names nothing is read, and an error of the read gives no names', async () => {
  const { source, asked } = sourceOf();
  expect(await workspacesLike([], source, service)).toEqual([]);
  expect(asked).toEqual([]);
  const refused = sourceOf(new AttuneError('refused', { code: 'x' })).source;
  expect(await workspacesLike(['unknown'], refused, service)).toEqual([]);
  const error = new Error('a defect');
  await expect(workspacesLike(['unknown'], sourceOf(error).source, service)).rejects.toBe(error);
});
