import { expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

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
