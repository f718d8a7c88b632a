import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { liveQueryOf } from '../../src/resolve/live-query-of.ts';
import { lookUpNames, type NamesOf, resolveNames } from '../../src/resolve/look-up-names.ts';
import type { QueryOptions } from '../../src/resolve/plan-request.ts';
import { configured } from '../desired/load-files.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/** Names by id and kind; instead of them the reason why there are none. */
type Service = Partial<Record<AliasKind, Readonly<Record<string, string>> | string>>;

function serviceOf(things: Service): { readonly namesOf: NamesOf; readonly asked: AliasKind[] } {
  const asked: AliasKind[] = [];
  return {
    asked,
    namesOf: async (kind) => {
      asked.push(kind);
      const known = things[kind] ?? {};
      if (typeof known === 'string') throw new NoLookUpError(kind, known);
      return Object.entries(known).map(([id, name]) => ({ id, name }));
    },
  };
}

const live: Service = {
  projects: { 'prj-P': 'Payments Platform', 'prj-Q': 'payments' },
  teams: { 'team-S': 'SRE', 'team-B': 'team-b', 'team-c': 'Team C' },
  'ssh-keys': { 'sshkey-D': 'deploy' },
  'agent-pools': { 'apool-O': 'On-prem' },
  'vcs-connections': { 'ot-G': 'GitHub acme' },
};

/** Root files in separate folders, as they are written and with their names looked up. */
async function rootsOf(yamls: readonly string[], { namesOf } = serviceOf(live), options: QueryOptions = {}) {
  const roots = [];
  for (const [index, yaml] of yamls.entries()) {
    const written = { ...(await configured(yaml)), folder: `/acme/${index}` };
    roots.push({ written, resolved: await lookUpNames(written, namesOf, options) });
  }
  return roots;
}

/** The kinds that are looked up, and the problems of the files. A query can be made of files without errors. */
testTextTables(join(import.meta.dirname, 'tables'), async ({ sections }: TextRow) => {
  const { files = '', only, purpose, service: things = '' } = sections;
  const options: QueryOptions = {
    ...(only && { chosen: (address) => address === only.trim() }),
    ...(purpose && { purpose: purpose.trim() as 'drift' }),
  };
  const service = serviceOf(parse(things));
  const roots = await rootsOf(files.split(/^---\n/m), service, options).catch((error: unknown) => error);
  const asked = service.asked.length === 0 ? 'nothing' : [...new Set(service.asked)].sort().join(', ');
  if (roots instanceof DiagnosticsError) return `looks up ${asked}\n${renderDiagnostics(roots.diagnostics)}`;
  if (!Array.isArray(roots)) throw roots;
  const all: Awaited<ReturnType<typeof lookUpNames>>[] = roots.map(({ resolved }) => resolved);
  for (const root of all) liveQueryOf(root, options);
  return `looks up ${asked}\n${all.map(({ diagnostics }) => renderDiagnostics(diagnostics)).join('')}`;
});

async function named(yaml: string) {
  const service = serviceOf(live);
  const [root] = await rootsOf([yaml], service);
  if (root === undefined) throw new Error('there is one root file');
  return { configuration: root.resolved, asked: service.asked.sort() };
}

test('names become ids wherever an id is accepted, as aliases and directly', async () => {
  const { configuration, asked } = await named(`
projects: {pay: {name: Payments Platform}}
agent-pools: {onprem: On-prem}
workspaces:
  a: {project: pay, ssh-key: deploy, execution-mode: agent, agent-pool-id: onprem}
  b:
    project: payments
    vcs-repo: {identifier: acme/b, oauth-token-id: GitHub acme}
    remote-state-consumers: [{project: Payments Platform}, a]
  c: {remote-state-consumers: {add: [{project: pay}], remove: [{project: payments}]}}
team-access:
  pay: {SRE: read}
  payments: {}
scope: {projects: [pay, payments]}
freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {project: payments}}]
`);
  const attributes = Object.fromEntries(
    [...configuration.desired.resources].map(([address, resource]) => [address, resource.attributes]),
  );
  expect(attributes).toEqual({
    'workspace.a': {
      project: 'prj-P',
      'ssh-key': 'sshkey-D',
      'execution-mode': 'agent',
      'agent-pool-id': 'apool-O',
    },
    'workspace.b': {
      project: 'prj-Q',
      'vcs-repo.identifier': 'acme/b',
      'vcs-repo.oauth-token-id': 'ot-G',
      'remote-state-consumers': { exactly: [{ project: 'prj-P' }, 'a'] },
    },
    'workspace.c': {
      'remote-state-consumers': { add: [{ project: 'prj-P' }], remove: [{ project: 'prj-Q' }] },
    },
    'team-access.pay/SRE': { project: 'prj-P', team: 'team-S', access: 'read' },
  });
  expect(configuration.aliases.projects).toEqual(new Map([['pay', 'prj-P']]));
  expect(configuration.grantProjects).toEqual(
    new Map([
      ['prj-P', 'pay'],
      ['prj-Q', 'payments'],
    ]),
  );
  expect(configuration.scope).toMatchObject({ projects: ['prj-P', 'prj-Q'] });
  expect(configuration.holds?.freeze).toMatchObject([{ select: { project: 'prj-Q' } }]);
  expect(configuration.lookUps).toEqual([]);
  expect(asked).toEqual(['agent-pools', 'projects', 'ssh-keys', 'teams', 'vcs-connections']);
});

test('a configuration without names is returned unchanged', async () => {
  const configuration = await configured('workspaces: {a: {}}\n');
  expect(await lookUpNames(configuration, serviceOf(live).namesOf)).toBe(configuration);
});

test('a name wins over a value that could be an id, which is an id if a resource has it', async () => {
  const { configuration } = await named('team-access: {prj-P: {team-b: read, team-c: read}}');
  const teams = [...configuration.desired.resources.values()].map(({ attributes }) => attributes.team);
  expect(teams).toEqual(['team-B', 'team-c']);
});

test('the aliases of projects are looked up for an apply, which is the default purpose', async () => {
  const configuration = await configured(
    'projects: {unused: {name: payments}}\nguards: {keep-admin: [SRE]}\n',
  );
  const { namesOf, asked } = serviceOf(live);
  const source = { names: (_: string, kind: AliasKind) => namesOf(kind) };
  await resolveNames(configuration, { source, purpose: 'drift' });
  expect(asked).toEqual([]);
  await resolveNames(configuration, { source });
  expect(asked.sort()).toEqual(['projects', 'teams']);
});

test('a failing read of names is reported with its own error', async () => {
  const loaded = await configured('workspaces: {a: {project: nowhere}}');
  const failing = lookUpNames(loaded, () => Promise.reject(new Error('cut off')));
  await expect(failing).rejects.toThrow('cut off');
});
