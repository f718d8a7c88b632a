import { expect, test } from 'vitest';
import type { OrganizationSeed, WorkspaceSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const count = 12;
const withConsumers = 5;
const projectNames = Array.from({ length: 4 }, (_, index) => `Project ${index}`);
const nameOf = (index: number) => `service-${String(index % count).padStart(4, '0')}`;

/** Some workspaces name their consumers; the others share their state with all, or not at all. */
function organization(others: 'shared with all' | 'shared with nobody'): OrganizationSeed {
  const workspace = (index: number): WorkspaceSeed => ({
    project: projectNames[index % projectNames.length] ?? '',
    'execution-mode': 'remote',
    tags: ['managed'],
    ...(index < withConsumers
      ? { 'remote-state-consumers': [nameOf(index + 1), nameOf(index + 2)] }
      : { 'global-remote-state': others === 'shared with all' }),
  });
  return {
    projects: Object.fromEntries(projectNames.map((name) => [name, null])),
    teams: { sre: null },
    'team-access': Object.fromEntries(projectNames.map((name) => [name, { sre: 'write' }])),
    workspaces: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [nameOf(index), workspace(index)]),
    ),
  };
}

function kinds(requests: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const request of requests) {
    const kind = request.replace(/\?.*$/, '').replace(/\/workspaces\/ws-[^/]+/, '/workspaces/ID');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const plan = {
  'GET /organizations/acme/workspaces': 1,
  'GET /workspaces/ID/relationships/remote-state-consumers': withConsumers,
  'GET /team-projects': projectNames.length,
};

test('import reads every list of consumers once if only the list shows whether there are consumers', async () => {
  const world = await worldWith({}, { seed: organization('shared with nobody') });
  const imported = await world.attune('import', '--organization', 'acme', '--quiet');
  expect(imported.code, imported.stderr).toBe(0);
  const consumers = 'GET /workspaces/ID/relationships/remote-state-consumers';
  expect(kinds(world.requests())[consumers]).toBe(count);
  const planned = await world.attune('plan', '--detailed-exitcode', '--quiet');
  expect([planned.code, kinds(world.requests())]).toEqual([0, plan]);
});

const part: OrganizationSeed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre' },
  'team-access': { Platform: { sre: 'admin' }, Payments: { sre: 'read' } },
  workspaces: {
    'net-eu': { id: 'ws-neteu', project: 'Platform', tags: ['network'] },
    'net-us': { id: 'ws-netus', project: 'Platform', tags: ['network', 'prod'] },
    billing: { id: 'ws-billing', project: 'Payments', 'global-remote-state': true },
  },
};

test.each(rowsIn<[string, readonly string[], readonly string[]]>`
- ['a project by its name: its workspaces, its grants', [--project, Platform],
   ['GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings', 'GET /organizations/acme/workspaces?filter[project][id]=prj-platform&page[size]=100', 'GET /workspaces/ws-neteu/relationships/remote-state-consumers?page[size]=100', 'GET /workspaces/ws-netus/relationships/remote-state-consumers?page[size]=100', 'GET /team-projects?filter[project][id]=prj-platform&page[size]=100', 'GET /organizations/acme/teams?page[size]=100']]
- ['a tag: its workspaces alone', [--tag, prod],
   ['GET /organizations/acme/workspaces?search[tags]=prod&page[size]=100', 'GET /workspaces/ws-netus/relationships/remote-state-consumers?page[size]=100', 'GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings']]
- [a name with a wildcard, [--name, net-*],
   ['GET /organizations/acme/workspaces?search[wildcard-name]=net-*&page[size]=100', 'GET /workspaces/ws-neteu/relationships/remote-state-consumers?page[size]=100', 'GET /workspaces/ws-netus/relationships/remote-state-consumers?page[size]=100', 'GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings']]
- [a single address, [--only, workspace.billing], ['GET /organizations/acme/workspaces?search[wildcard-name]=billing&page[size]=100', 'GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings']]
- ['team access alone: no workspace', [--only, team-access.*],
   ['GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings', 'GET /team-projects?filter[project][id]=prj-payments&page[size]=100', 'GET /team-projects?filter[project][id]=prj-platform&page[size]=100', 'GET /organizations/acme/teams?page[size]=100']]
`)('an import of a part requests only its lists: %s', async (_what, flags, requests) => {
  const world = await worldWith({}, { seed: part });
  const imported = await world.attune('import', '--organization', 'acme', ...flags);
  expect(imported.code, imported.stderr).toBe(0);
  const asked = world.requests().map((request) => decodeURIComponent(request));
  expect(asked.filter((request) => !request.includes(defaultProject)).sort()).toEqual([...requests].sort());
  const planned = await world.attune('plan', '--detailed-exitcode');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
});

/** The service has it whether a seed names it or not; its grants are asked for where all are. */
const defaultProject = 'prj-R8oAi7uZcGXh3yCe';
