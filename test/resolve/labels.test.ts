import { expect, test } from 'vitest';
import type { FieldChange } from '../../src/model/change.ts';
import type { Aliases } from '../../src/model/configuration.ts';
import type { PlannedChange } from '../../src/model/plan.ts';
import type { GrantResource, Resource } from '../../src/model/state.ts';
import { aliasesAndNames, aliasesForUndo, labelledField, labelsWith } from '../../src/resolve/labels.ts';
import { updateOfApp as change } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';

const noAliases: Aliases = {
  projects: new Map(),
  teams: new Map(),
  'vcs-connections': new Map(),
  'agent-pools': new Map(),
  'ssh-keys': new Map(),
};
const aliases: Aliases = {
  ...noAliases,
  projects: new Map([['base', 'prj-1']]),
  'vcs-connections': new Map([['github', 'ot-1']]),
  'agent-pools': new Map([['onprem', 'apool-1']]),
};
const labels = labelsWith(aliases, new Map([['ws-web', 'web']]));

test.each(rowsIn<[string, FieldChange, Partial<FieldChange>]>`
- [the connection of a removed repository, {path: vcs-repo, before: {identifier: acme/app, oauth-token-id: ot-1}, after: null}, {before: {identifier: acme/app, oauth-token-id: github}}]
- [a removed repository without a connection, {path: vcs-repo, before: {branch: main}, after: null}, {}]
- [no repository, {path: vcs-repo, before: null, after: null}, {}]
`)('a field of a plan shows %s', (_, field, shown) => {
  expect(labelledField(field, labels)).toEqual({ ...field, ...shown });
});

const grant = (project: string, written: string, team: string): [string, Resource] => {
  const resource: GrantResource = {
    kind: 'team-access',
    address: `team-access.${written}`,
    name: written,
    attributes: { project, team, access: 'read' },
  };
  return [resource.address, resource];
};

test('aliases come before the keys of team-access, and those before names', () => {
  const resources = new Map([
    grant('prj-1', 'base/sre', 'team-sre'),
    grant('prj-2', 'Web/Auditors', 'team-auditors'),
    grant('prj-3', 'other/x', 'team-x'),
  ]);
  const { projects, teams, ...others } = aliasesAndNames({
    aliases,
    desired: { organization: 'acme', resources },
    grantProjects: new Map([
      ['prj-1', 'base'],
      ['prj-2', 'Web'],
    ]),
    known: new Map([
      [
        'projects',
        new Map([
          ['prj-9', 'base'],
          ['prj-4', 'Fourth'],
        ]),
      ],
      [
        'teams',
        new Map([
          ['team-sre', 'sre'],
          ['team-ops', 'ops'],
        ]),
      ],
    ]),
  });
  expect([...projects]).toEqual([
    ['base', 'prj-1'],
    ['Web', 'prj-2'],
    ['Fourth', 'prj-4'],
  ]);
  expect([...teams]).toEqual([
    ['sre', 'team-sre'],
    ['Auditors', 'team-auditors'],
    ['ops', 'team-ops'],
  ]);
  expect(others['agent-pools']).toEqual(aliases['agent-pools']);
});

test('names are sorted, and an undo keeps the aliases and the names of the ids that the plan uses', () => {
  const known = new Map([
    [
      'projects' as const,
      new Map([
        ['prj-4', 'Zeta'],
        ['prj-2', 'Core'],
        ['prj-3', 'Lab'],
      ]),
    ],
  ]);
  const configuration = {
    aliases,
    known,
    desired: { organization: 'acme', resources: new Map() },
    grantProjects: new Map(),
  };
  expect([...aliasesAndNames(configuration).projects.keys()]).toEqual(['base', 'Core', 'Lab', 'Zeta']);
  const changes = [change, { ...change, facts: { project: 'prj-2' } }] as unknown as PlannedChange[];
  expect([...aliasesForUndo(configuration, { changes }).projects]).toEqual([
    ['base', 'prj-1'],
    ['Core', 'prj-2'],
  ]);
});
