import { expect, test } from 'vitest';
import { atTime } from '../../src/hold/at-time.ts';
import type { AccessFacts } from '../../src/live/access-facts.ts';
import type { Live, LiveSource } from '../../src/live/read-live.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import type { PlanPurpose } from '../../src/model/plan.ts';
import type { ProjectResource, Resource, WorkspaceResource } from '../../src/model/state.ts';
import { type MakePlanOptions, makePlan, planResolved } from '../../src/run/make-plan.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';

const workspace = (name: string): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  id: `ws-${name}`,
  attributes: { tags: [], lock: { locked: false } },
});

/** A source with one workspace, and what it is asked. */
function sourceOf(live: Partial<Live>) {
  const asked: unknown[] = [];
  const source: LiveSource = {
    read: async ({ dialect }) => {
      asked.push(`read ${dialect}`);
      return {
        ...emptyLive,
        state: { organization: 'acme', resources: new Map([['workspace.gone', workspace('gone')]]) },
        dialect: 'iac',
        ...live,
      };
    },
    names: async (_organization, kind, options) => {
      asked.push(`names of ${kind} with bindings: ${options?.bindings}`);
      return kind === 'teams' ? [{ name: 'A', id: 'team-a' }] : [{ name: 'Base', id: 'prj-1' }];
    },
    objects: undefined,
    workspaceIds: undefined,
    access: undefined,
    countWorkspaces: async () => {
      asked.push('count workspaces');
      return 5;
    },
    countGrants: async (project) => {
      asked.push(`count grants of ${project}`);
      return project === 'prj-1' ? 3 : 2;
    },
  };
  return { source, asked };
}

async function planned(yaml: string, live: Partial<Live>, options: Partial<MakePlanOptions> = {}) {
  const { source, asked } = sourceOf(live);
  const plan = await makePlan(await configured(yaml), { source, address: 'embedded', ...options });
  return [
    asked,
    plan.diagnostics.flatMap(({ code, message }) => (code.startsWith('too-many') ? [message] : [])),
  ];
}

const deleting = 'limits: {delete-percent: 4}\nworkspaces: {gone: {state: absent}}\n';
const grants = 'team-access: {prj-1: {team-a: read}, prj-2: {team-a: read}}\n';
const refused = (total: number, percent: string) => [
  `the plan deletes 1 of ${total} live objects (${percent} percent), and limits.delete-percent allows 4`,
];

const grantCounts = ['count grants of prj-1', 'count grants of prj-2'];

test.each(rowsIn<[string, string, Partial<Live>, string[], [number, string]?]>`
- [of a part, grants, {}, [count workspaces, count grants], [10, '10.0']]
- [of a part of counted workspaces, grants, {workspaceTotal: 15}, [count grants], [20, '5.0']]
- [of a part of a scope, scope grants, {workspaceTotal: 15}, [count workspaces, count grants], [10, '10.0']]
- [of a state that was read in full, '', {whole: true}, []]
- [of a scope that was read in full, scope, {scopeWhole: true}, []]
- [of all if only a scope was read in full, '', {scopeWhole: true}, [count workspaces]]
`)('a plan counts only the objects that it did not read: %s', async (_, parts, live, counts, error) => {
  const hasGrants = parts.includes('grants');
  const yaml = `${parts.includes('scope') ? "scope: {names: ['*']}\n" : ''}${deleting}${hasGrants ? grants : ''}`;
  const found = await planned(yaml, live, hasGrants ? { only: ['workspace.gone'] } : {});
  const asked = counts.flatMap((one) => (one === 'count grants' ? grantCounts : one));
  expect(found).toEqual([['read undefined', ...asked], error ? refused(...error) : []]);
});

test('a limit in percent counts the grants of a project by its id, also if only the limit needs its name', async () => {
  const yaml = `limits: {update-percent: 4}\nworkspaces: {gone: {description: new}}\nteam-access: {Base: {team-a: read}}\n`;
  const { source, asked } = sourceOf({});
  await makePlan(await configured(yaml), { source, address: 'embedded', only: ['workspace.gone'] });
  expect(asked).toEqual([
    'read undefined',
    'names of projects with bindings: false',
    'count workspaces',
    'count grants of prj-1',
  ]);
});

test('managed projects are among the objects that limits in percent count, and other projects that were read are not', async () => {
  const workspaces = [...'abcdefghi'].map((name) => workspace(name));
  const project = (name: string): ProjectResource => {
    return { kind: 'project', address: `project.${name}`, name, id: `prj-${name}`, attributes: {} };
  };
  const projects = [...'abcdefghijklmnopqrst'].map((name) => project(name));
  const stateOf = (resources: readonly Resource[]) => ({
    organization: 'acme',
    resources: new Map([workspace('gone'), ...resources].map((one) => [one.address, one])),
  });
  const whole = { whole: true, workspaceTotal: 10 };
  const read = { ...whole, state: stateOf([...workspaces, ...projects]) };
  for (const live of [{ ...whole, state: stateOf(workspaces) }, read])
    expect(await planned(deleting, live)).toEqual([['read undefined'], refused(10, '10.0')]);
  const managed = projects.map(({ name }) => `${name}: {id: prj-${name}, manage: true}`).join(', ');
  const ten = deleting.replace('4', '9');
  expect(await planned(`projects: {${managed}}\n${ten}`, { ...read, dialect: 'terraform' })).toEqual([
    ['read undefined'],
    ['the plan deletes 1 of 10 live workspaces (10.0 percent), and limits.delete-percent allows 9'],
  ]);
});

test('a plan without inherited key/value tags has no such effects', async () => {
  const { source } = sourceOf({});
  const plan = await makePlan(await configured('workspaces: {app: {}}\n'), { source, address: 'embedded' });
  expect(plan.effects).toEqual({ stateAccess: [], moves: [] });
});

test('a read that finds nothing reports ids of projects that belong to nothing, whatever its path', async () => {
  const notFound = new ServiceError({ method: 'GET', path: '/elsewhere' }, 404, []);
  const failed = (objects: LiveSource['objects'], yaml = 'team-access: {prj-9: {team-a: read}}\n') => {
    const { source } = sourceOf({});
    const read = () => Promise.reject(notFound);
    const from: LiveSource = { ...source, read, objects };
    return configured(yaml).then((one) => makePlan(one, { source: from, address: 'embedded' }));
  };
  const listing = (id: string) => async () => [{ id, denied: [] }];
  await expect(failed(listing('prj-1'))).rejects.toMatchObject({ diagnostics: [{ code: 'unknown-id' }] });
  await expect(failed(listing('prj-9'))).rejects.toBe(notFound);
  await expect(failed(undefined)).rejects.toBe(notFound);
  const unavailable = async () =>
    Promise.reject(new ServiceError({ method: 'GET', path: '/projects' }, 503, []));
  await expect(failed(unavailable)).rejects.toBe(notFound);
  const unused = async () => Promise.reject(new Error('lists projects that no team access names'));
  await expect(failed(unused, 'workspaces: {web: {}}\n')).rejects.toBe(notFound);
});

test('a plan has its time if a policy on the plan uses it, and another time makes it hypothetical', async () => {
  const now = new Date('2026-11-20T10:00:00Z');
  const at = new Date('2026-12-24T10:00:00Z');
  const timed = async (policies: string, options: Partial<MakePlanOptions> = {}) => {
    const { source } = sourceOf({});
    const configuration = await configured(`policies: [${policies}]\nworkspaces: {}\n`);
    const plan = await makePlan(configuration, { source, address: 'embedded', now, ...options });
    return [plan.at, plan.hypothetical];
  };
  const policy = (id: string, on: string, require: string) =>
    `{id: ${id}, on: ${on}, require: '${require}', message: No.}`;
  const few = policy('few', 'plan', 'size(plan.changes) < 9');
  const late = policy('late', 'plan', 'plan.now.getFullYear() > 2000');
  expect(await timed(`${few}, ${late}`)).toEqual(['2026-11-20T10:00:00Z', undefined]);
  expect(await timed(few)).toEqual([undefined, undefined]);
  expect(await timed(few, { at })).toEqual(['2026-12-24T10:00:00Z', true]);
});

test('ended access is none in the configuration and in both forms of its base', async () => {
  const access = '{access: read, until: 2026-11-19, reason: audit}';
  const ending = await configured(`team-access: {prj-1: {team-a: ${access}}}\n`);
  const accessAt = (day: string, base: Configuration['base']) => {
    const timed = atTime({ ...ending, ...(base && { base }) }, { now: new Date(`${day}T00:00:00Z`) });
    const levels = (one: Pick<Configuration, 'desired'> | undefined) =>
      one && [...one.desired.resources.values()].map(({ declared }) => declared?.absent !== undefined);
    return [levels(timed), levels(timed.base?.loaded), levels(timed.base?.declared)];
  };
  const both = { ref: 'main', loaded: ending, declared: ending } as unknown as Configuration['base'];
  const none = { ref: 'main' } as unknown as Configuration['base'];
  expect(accessAt('2026-11-21', both)).toEqual([[true], [true], [true]]);
  expect(accessAt('2026-11-01', both)).toEqual([[false], [false], [false]]);
  expect(accessAt('2026-11-21', none)).toEqual([[true], undefined, undefined]);
  expect(accessAt('2026-11-21', undefined)).toEqual([[true], undefined, undefined]);
});

test('only a plan that finds a workspace outside the scope reads unfinished creations', async () => {
  const reads = async (live: Partial<Live>) => {
    const { source } = sourceOf(live);
    const workspaces = '{gone: {tags: [prod]}, gone-already: {state: absent}}';
    const root = await configured(`scope: {tags: [prod]}\nworkspaces: ${workspaces}\n`);
    const configuration = { ...root, roots: [await configured(''), root] };
    let count = 0;
    const unfinished = async () => {
      count += 1;
      return new Map([['ws-gone', new Set(['tags'] as const)]]);
    };
    const planning = planResolved(configuration, { source, address: 'embedded', unfinished });
    const codes = await planning.then(
      ({ plan }) => plan.diagnostics.map(({ code }) => code),
      (error: DiagnosticsError) => error.diagnostics.map(({ code }) => code),
    );
    return [count, codes];
  };
  const tagged = { ...workspace('gone'), attributes: { ...workspace('gone').attributes, tags: ['prod'] } };
  const inScope = { state: { organization: 'acme', resources: new Map([['workspace.gone', tagged]]) } };
  expect(await reads(inScope)).toEqual([0, []]);
  expect(await reads({})).toEqual([1, ['unfinished-creation']]);
});

test('a drift report shows no recovery of deletes', async () => {
  const { source } = sourceOf({ dialect: 'terraform' });
  const attributes = { 'recoverable-items-enabled': true };
  const document = { id: 'acme', type: 'organizations', relationships: {}, attributes };
  const organization = async () => ({ isReadable: true, document });
  const access = { organization, organizationIfRead: organization } as unknown as AccessFacts;
  const recovery = async (purpose: PlanPurpose) => {
    const configuration = await configured(deleting.replace('4', '100'));
    const options = { source: { ...source, access }, address: 'embedded', purpose };
    const plan = await makePlan(configuration, options);
    return plan.changes.map((change) => change.recovery);
  };
  expect(await recovery('apply')).toEqual(['recoverable']);
  expect(await recovery('drift')).toEqual([undefined]);
});

test('only a read that finds nothing looks for unknown ids, with key/value tags if the plan reads them', async () => {
  const request = { method: 'GET', path: '/team-projects' } as const;
  const error = new ServiceError(request, 500, []);
  const asked: unknown[] = [];
  const failing = async (status: number, yaml = '') => {
    const failure = status === 500 ? error : new ServiceError(request, status, []);
    const from: LiveSource = {
      ...sourceOf({}).source,
      read: () => Promise.reject(failure),
      objects: async (_organization, _kind, options) => {
        asked.push(options);
        return [];
      },
    };
    const configuration = await configured(`team-access: {prj-9: {team-a: read}}\n${yaml}`);
    return makePlan(configuration, { source: from, address: 'embedded' });
  };
  await expect(failing(500)).rejects.toBe(error);
  expect(asked).toEqual([]);
  await expect(failing(404)).rejects.toBeInstanceOf(DiagnosticsError);
  const tagged = 'workspaces: {app: {tag-bindings: {env: prod}}}\n';
  await expect(failing(404, tagged)).rejects.toBeInstanceOf(DiagnosticsError);
  expect(asked).toEqual([{ bindings: false }, { bindings: true }]);
});
