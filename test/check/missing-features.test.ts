import { expect, test } from 'vitest';
import { missingFeatures } from '../../src/check/missing-features.ts';
import type { Change } from '../../src/model/change.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Dialect, Feature } from '../../src/model/dialect.ts';
import { configured } from '../desired/load-files.ts';

const yaml = `projects: {base: {id: prj-base, name: Base, manage: true, tag-bindings: {team: core}}}
guards: {protect: [{tagged: {env: prod}}, {tag: prod}]}
scope: {tagged: {team: core}}
workspaces:
  app: {remote-state-consumers: [{tagged: {env: prod}}], data-retention: {dont-delete: true}, tag-bindings: {env: prod}}
  web: {setting-overwrites: {execution-mode: true}, execution-mode: remote, remote-state-consumers: [app]}
  gone: {state: absent}
team-access: {base: {team-a: read}}
`;

interface Given {
  readonly missing?: readonly Feature[];
  readonly dialect?: Dialect;
  readonly changes?: readonly Change[];
  readonly chosen?: (address: string) => boolean;
}

const found = (
  configuration: Configuration,
  { missing = [], dialect = 'terraform', changes = [], chosen = () => true }: Given,
) =>
  missingFeatures(
    configuration,
    { missing, dialect, state: { organization: 'acme', resources: new Map() } },
    { chosen, changes },
  ).map(text);

function text({ severity, code, message, address, location, hint }: Diagnostic): string {
  const place = location ? ` at ${location.line}:${location.column}` : '';
  return `${severity} ${code} ${address}${place}: ${message} | ${hint}`;
}

test('a service that lacks nothing has no problems', async () => {
  expect(found(await configured(yaml), {})).toEqual([]);
});

test.each<[Feature, readonly string[]]>([
  [
    'projects',
    [
      'error not-offered project.base at 3:45: project.base declares manage, but this service does not offer projects: POST /organizations/acme/projects | remove manage',
    ],
  ],
  [
    'team-access',
    [
      'error not-offered team-access.base/team-a at 10:22: team-access.base/team-a declares team access, but this service does not offer project team access | remove it from team-access',
    ],
  ],
  [
    'data-retention',
    [
      'error not-offered workspace.app at 7:58: workspace.app declares data-retention, but this service does not offer data retention policies | remove data-retention',
    ],
  ],
  [
    'setting-overwrites',
    [
      'error not-offered workspace.web at 8:30: workspace.web declares setting-overwrites.execution-mode, but this service does not offer setting-overwrites | remove setting-overwrites.execution-mode',
    ],
  ],
  [
    'tag-bindings',
    [
      'error not-offered project.base at 3:59: project.base declares tag-bindings, but this service does not offer key/value tags: PATCH /projects/:id/tag-bindings | remove tag-bindings',
      'error not-offered workspace.app at 7:95: workspace.app declares tag-bindings, but this service does not offer key/value tags: PATCH /workspaces/:workspace/tag-bindings | remove tag-bindings',
      'error not-offered undefined at 5:9: the scope selects by tagged, but this service does not offer key/value tags: GET /organizations/acme/workspaces?include=effective_tag_bindings | select by tag, project or name',
      'error not-offered undefined at 4:20: an entry of guards.protect selects by tagged, but this service does not offer key/value tags: GET /organizations/acme/workspaces?include=effective_tag_bindings | select by tag, project or name',
      'error not-offered workspace.app at 7:9: remote-state-consumers of workspace.app selects by tagged, but this service does not offer key/value tags: GET /organizations/acme/workspaces?include=effective_tag_bindings | select by tag, project or name',
    ],
  ],
])(
  'declarations that need %s of a service without it are errors at their lines',
  async (feature, expected) => {
    expect(found(await configured(yaml), { missing: [feature] })).toEqual(expected);
  },
);

test('an attribute that the dialect lacks is reported once for the line of a layer', async () => {
  const configuration = await configured(
    'defaults: {workspace: {project-remote-state: false}}\nworkspaces: {app: {}, web: {}, own: {project-remote-state: true}}\n',
  );
  expect(found(configuration, { dialect: 'iac' }).map((one) => one.split(':')[0])).toEqual([
    'error not-in-dialect workspace.app at 3',
    'error not-in-dialect workspace.own at 4',
  ]);
});

test('the iac dialect has no key/value tags, which is reported once', async () => {
  const configuration = await configured(yaml);
  const other = '| set service.dialect to `terraform` if the service supports it, else ';
  const lacking = found(configuration, { missing: ['tag-bindings'] }).map((one) => one.replace('| ', other));
  expect(found(configuration, { dialect: 'iac' })).toEqual(lacking);
  expect(found(configuration, { dialect: 'iac', missing: ['tag-bindings'] })).toEqual(lacking);
});

test('declarations that --only leaves out, and tombstones, are not checked', async () => {
  const configuration = await configured('workspaces: {app: {data-retention: {dont-delete: true}}}\n');
  const missing: readonly Feature[] = ['data-retention'];
  expect(found(configuration, { missing })).toHaveLength(1);
  expect(found(configuration, { missing, chosen: () => false })).toEqual([]);
  const tombstone = await configured('team-access: {prj-1: {team-a: none}}\n');
  expect(found(tombstone, { missing: ['team-access'] })).toEqual([]);
});

test('a safe delete needs a service that offers it, whatever the reason of the delete', async () => {
  const configuration = await configured('workspaces: {gone: {state: absent}, undone: {}}\n');
  const location = { file: 'attune.yaml', line: 3, column: 14 };
  const deletion = (name: string, rest: Partial<Change> = {}): Change =>
    ({
      address: `workspace.${name}`,
      kind: 'workspace',
      name,
      action: 'delete',
      fields: [],
      deleteMode: 'safe',
      ...rest,
    }) as Change;
  const changes = [
    deletion('gone', { location }),
    deletion('undone'),
    deletion('pruned'),
    deletion('forced', { deleteMode: 'force' }),
    deletion('updated', { action: 'update' }),
    deletion('project', { kind: 'project' }),
  ];
  expect(found(configuration, { missing: ['safe-delete'], changes })).toEqual([
    'error not-offered workspace.gone at 3:14: workspace.gone cannot be deleted safely: this service does not offer safe delete | check that it manages no resources, then write `delete: force`, which deletes it without that check',
    'error not-offered workspace.undone: workspace.undone cannot be deleted safely: this service does not offer safe delete | check that it manages no resources, then run again with --force, which deletes it without that check',
    'error not-offered workspace.pruned: workspace.pruned cannot be deleted safely: this service does not offer safe delete | check that it manages no resources, then set prune.workspaces to `force`, which deletes it without that check',
  ]);
  expect(found(configuration, { missing: ['projects'], changes })).toEqual([]);
});
