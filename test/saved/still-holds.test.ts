import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { atTime } from '../../src/hold/at-time.ts';
import { type Diagnostic, DiagnosticsError } from '../../src/model/diagnostic.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { isRecord } from '../../src/model/value.ts';
import { changeText, planThatHolds } from '../../src/saved/still-holds.ts';
import type { ServiceReader } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { planOf } from '../support/plan-tables.ts';
import { rowsIn } from '../support/rows.ts';

/** The live state when the plans are saved. Rows have what is different when they are applied; `null` is gone. */
const before = parse(`
workspaces:
  network: {project: prj-platform, tags: [staging], remote-state-consumers: [ws-zebra, ws-app], ssh-key: sshkey-other,
    data-retention: null, vcs-repo: {identifier: acme/network, oauth-token-id: ot-1, branch: main}}
  app: {vcs-repo: {identifier: acme/app, oauth-token-id: ot-1}, remote-state-consumers: []}
  zebra: {}
  old: {project: prj-platform, tags: [staging]}
  untouched: {}
team-access:
  prj-platform:
    team-sre: {access: maintain}
    team-out: {access: read}
    team-dev: {access: custom, workspace-access.runs: read, workspace-access.variables: read}
  prj-payments: {}
`);

/** A mapping with another one laid over it: `null` removes a workspace or a grant. */
function laidOver(below: object, above: object): object {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const had = merged[key];
    const isSettings = /^(ws|team)-|^(network|app|zebra|old|untouched|new|net)$/.test(key);
    if (value === null && isSettings) delete merged[key];
    else merged[key] = isRecord(value) && isRecord(had) && key !== 'vcs-repo' ? laidOver(had, value) : value;
  }
  return merged;
}

/** Plans files, plans them again with another live state or other files, and returns whether the saved plan holds. */
async function outcome({ files, now = files, live }: Row): Promise<string> {
  const later = laidOver(before, live ?? {}) as {
    workspaces: Record<string, { id?: string } | null>;
    'team-access': Record<string, object>;
  };
  const { plan: saved } = await planOf(`{${files}}`, JSON.stringify(before));
  const only = saved.changes.map(({ address }) => address);
  const request = { only, purpose: 'replan' as const };
  try {
    const { plan: again, configuration } = await planOf(`{${now}}`, JSON.stringify(later), request);
    const left = [
      ...Object.entries(later.workspaces).map(([name, values]) => values?.id ?? `ws-${name}`),
      ...Object.entries(later['team-access']).flatMap(([project, teams]) =>
        Object.keys(teams).map((team) => `tprj-${project}-${team}`),
      ),
    ];
    const reader = {
      get: async (path: string) => {
        if (left.some((id) => path.endsWith(`/${id}`))) return {};
        throw new ServiceError({ method: 'GET', path }, 404, []);
      },
    } as unknown as ServiceReader;
    const held = await planThatHolds({ saved, again, configuration, source: 'files', reader });
    if (held.changes.length > 0) return 'holds';
    const note = held.diagnostics.find(({ code }) => code === 'already-applied')?.message;
    const applied = 'the saved plan of acme is already applied: no changes are needed';
    return note === applied ? 'applied' : 'is empty';
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    return errors
      .map(({ code, message }) => (code === 'plan-differs' ? message.replace(/ changed .*/, '') : code))
      .join(', ');
  }
}

interface Row {
  readonly what: string;
  readonly files: string;
  /** Other files when the plan is applied. */
  readonly now?: string;
  /** What is different live when the plan is applied. */
  readonly live?: object;
  readonly is: string;
}

test.each(rowsIn<Row>`
- {what: an attribute, files: 'workspaces: {network: {auto-apply: true}}', live: {workspaces: {network: {auto-apply: true}}}, is: applied}
- {what: the name, files: 'workspaces: {network: {auto-apply: true}}', live: {workspaces: {network: null, renamed: {id: ws-network}}}, is: the live state}
- {what: 'the name, of a workspace that is renamed', files: 'workspaces: {net: {renamed-from: network}}', live: {workspaces: {network: null, renamed: {id: ws-network}}}, is: the live state}
- {what: a new name that is taken, files: 'workspaces: {net: {renamed-from: network}}', live: {workspaces: {net: {}}}, is: renamed-from}
- {what: the project, files: 'workspaces: {network: {project: prj-payments}}', live: {workspaces: {network: {project: prj-other}}}, is: the live state}
- {what: the tags, files: 'workspaces: {network: {tags: [prod]}}', live: {workspaces: {network: {tags: [by-hand, staging]}}}, is: the live state}
- {what: the consumers, files: 'workspaces: {network: {remote-state-consumers: [app]}}', live: {workspaces: {network: {remote-state-consumers: [ws-zebra, ws-app, ws-untouched]}}}, is: the live state}
- {what: state that is shared with all, files: 'workspaces: {app: {remote-state-consumers: [network]}}', live: {workspaces: {app: {global-remote-state: true}}}, is: consumers-with-global}
- {what: the retention, files: 'workspaces: {network: {data-retention: {delete-older-than-days: 9}}}', live: {workspaces: {network: {data-retention: {delete-older-than-days: 30}}}}, is: the live state}
- {what: the lock, files: 'workspaces: {network: {lock: true}}', live: {workspaces: {network: {lock: {locked: true}}}}, is: applied}
- {what: the SSH key, files: 'ssh-keys: {deploy: sshkey-deploy}, workspaces: {network: {ssh-key: deploy}}', live: {workspaces: {network: {ssh-key: null}}}, is: the live state}
- {what: a key of the repository, files: 'workspaces: {network: {vcs-repo: {branch: release}}}', live: {workspaces: {network: {vcs-repo: {identifier: acme/network, oauth-token-id: ot-1, branch: by-hand}}}}, is: the live state}
- {what: 'a key of a repository to remove, which was not set', files: 'workspaces: {app: {vcs-repo: null}}', live: {workspaces: {app: {vcs-repo: {identifier: acme/app, oauth-token-id: ot-1, branch: by-hand}}}}, is: the live state}
- {what: a repository that is already removed, files: 'workspaces: {app: {vcs-repo: null}}', live: {workspaces: {app: {vcs-repo: null}}}, is: applied}
- {what: a workspace to create that exists, files: 'workspaces: {new: {}}', live: {workspaces: {new: {}}}, is: applied}
- {what: a workspace to change that is gone, files: 'workspaces: {network: {auto-apply: true}}', live: {workspaces: {network: null}}, is: the live state}
- {what: a workspace to delete that is gone, files: 'workspaces: {old: {state: absent}}', live: {workspaces: {old: null}}, is: applied}
- {what: a workspace to delete that has another name, files: 'workspaces: {old: {state: absent}}', live: {workspaces: {old: null, kept: {id: ws-old}}}, is: the live state}
- {what: a workspace to delete that is in another project, files: 'workspaces: {old: {state: absent}}', live: {workspaces: {old: {project: prj-other}}}, is: the live state}
- {what: a workspace to delete that has other tags, files: 'workspaces: {old: {state: absent}}', live: {workspaces: {old: {tags: [keep, staging]}}}, is: the live state}
- {what: the level of a grant, files: 'team-access: {prj-platform: {team-sre: admin}}', live: {team-access: {prj-platform: {team-sre: {access: write}}}}, is: the live state}
- {what: a custom permission, files: 'team-access: {prj-platform: {team-dev: {access: custom, workspace-access: {runs: apply, variables: read}}}}', live: {team-access: {prj-platform: {team-dev: {workspace-access.runs: plan}}}}, is: the live state}
- {what: a custom permission that a new level overwrites, files: 'team-access: {prj-platform: {team-dev: admin}}', live: {team-access: {prj-platform: {team-dev: {workspace-access.variables: write}}}}, is: the live state}
- {what: a grant to create that exists, files: 'team-access: {prj-payments: {team-dev: write}}', live: {team-access: {prj-payments: {team-dev: {access: read}}}}, is: the live state}
- {what: a grant to revoke that is gone, files: 'team-access: {prj-platform: {team-out: none}}', live: {team-access: {prj-platform: {team-out: null}}}, is: applied}
- {what: a grant to revoke that has another level, files: 'team-access: {prj-platform: {team-out: none}}', live: {team-access: {prj-platform: {team-out: {access: admin}}}}, is: the live state}
- {what: its declaration, files: 'workspaces: {network: {auto-apply: true}}', now: 'workspaces: {network: {auto-apply: true, description: x}}', is: the files}
- {what: 'its declaration, to what is live', files: 'workspaces: {network: {auto-apply: true}}', now: 'workspaces: {network: {auto-apply: false}}', is: the files}
- {what: 'the declaration of one workspace and the live state of another', files: 'workspaces: {network: {auto-apply: true}, app: {auto-apply: true}}', now: 'workspaces: {network: {auto-apply: true, description: x}, app: {auto-apply: true}}',
   live: {workspaces: {app: {auto-apply: true}}}, is: 'the live state, the files'}
- {what: 'the declaration of one of two workspaces, and both changes are made', files: 'workspaces: {network: {auto-apply: true}, app: {auto-apply: true}}', now: 'workspaces: {network: {auto-apply: true, description: x}, app: {auto-apply: true}}',
   live: {workspaces: {network: {auto-apply: true}, app: {auto-apply: true}}}, is: 'the live state, the files'}
- {what: one of two changes, files: 'workspaces: {network: {auto-apply: true}, app: {auto-apply: true}}', live: {workspaces: {network: {auto-apply: true}}}, is: the live state}
- {what: 'the declaration of access that has an end', files: 'team-access: {prj-platform: {team-out: {access: write, until: 2099-01-01}}}', now: 'team-access: {prj-platform: {team-out: {access: admin, until: 2099-01-01}}}', is: the files}
- {what: 'its declaration, which is removed', files: 'workspaces: {network: {auto-apply: true}}', now: 'workspaces: {app: {}}', is: the files}
- {what: the consumers that a selector matches, files: 'workspaces: {app: {remote-state-consumers: [{tag: staging}]}}', live: {workspaces: {zebra: {tags: [staging]}}}, is: the live state}
- {what: 'an attribute, and another one that was as declared', files: 'workspaces: {network: {auto-apply: true, description: null}}', live: {workspaces: {network: {auto-apply: true, description: Manual}}}, is: applied}
- {what: 'another attribute than the one to change, which was as declared', files: 'workspaces: {network: {auto-apply: true, description: null}}', live: {workspaces: {network: {description: Manual}}}, is: the live state}
- {what: a workspace to create that exists with another value, files: 'workspaces: {new: {description: null}}', live: {workspaces: {new: {description: Manual}}}, is: the live state}
- {what: 'one of two attributes, to what is declared', files: 'workspaces: {network: {auto-apply: true, description: New}}', live: {workspaces: {network: {auto-apply: true}}}, is: the live state}
- {what: another attribute of the same workspace, files: 'workspaces: {network: {auto-apply: true}}', live: {workspaces: {network: {description: Manual}}}, is: holds}
- {what: another workspace, files: 'workspaces: {network: {auto-apply: true}}', live: {workspaces: {untouched: null, elsewhere: {}}}, is: holds}
- {what: a declared workspace that the plan leaves as it is, files: 'workspaces: {network: {auto-apply: true}, app: {auto-apply: false}}', live: {workspaces: {app: {auto-apply: true}}}, is: holds}
- {what: another grant of the same project, files: 'team-access: {prj-platform: {team-sre: admin}}', live: {team-access: {prj-platform: {team-out: {access: write}}}}, is: holds}
- {what: another value that it declares as it is live, files: 'workspaces: {network: {auto-apply: true}}', now: 'workspaces: {network: {auto-apply: true, tags: [staging]}}', is: holds}
- {what: the place of its declaration, files: 'workspaces: {network: {auto-apply: true}}', now: "limits: {deletes: 5},\nworkspaces: {network: {auto-apply: true}}", is: holds}
`)(
  'a saved plan is refused before the first write if an object that it changes was changed since, unless all is made or only other objects changed: $what',
  async (row) => {
    expect(await outcome(row)).toBe(row.is);
  },
);

interface Dated {
  readonly what: string;
  readonly saved: string;
  readonly again: string;
  readonly override?: string;
  /** The reason with which the plan was saved. */
  readonly overridden?: string;
  /** With a freeze window of network, and an exception of app. */
  readonly freeze?: true;
  readonly exception?: true;
  readonly files?: string;
  readonly live?: object;
  readonly source?: 'journal';
  readonly is: readonly [message: string, hint: string] | 'holds';
}

/** What is reported about a saved plan that is made again at another time. */
async function outcomeLater({
  saved,
  again,
  override,
  overridden,
  freeze,
  exception,
  live,
  source,
  ...row
}: Dated) {
  const files = [
    freeze && 'freeze: [{from: 2026-11-10, to: 2026-11-20, reason: launch, select: {name: network}}]',
    exception &&
      'exceptions: [{address: workspace.app, field: auto-apply, until: 2026-11-15, reason: incident}]',
    row.files ?? 'workspaces: {app: {auto-apply: true}, network: {auto-apply: true}}',
  ]
    .filter(Boolean)
    .join(', ');
  const state = JSON.stringify(laidOver(before, live ?? {}));
  const first = await planOf(`{${files}}`, JSON.stringify(before), {
    now: new Date(saved),
    overrideFreeze: overridden,
  });
  const only = first.plan.changes.map(({ address }) => address);
  const request = { only, purpose: 'replan', now: new Date(again) } as const;
  const options = { ...request, ...(override && { overrideFreeze: override }) };
  const { plan, configuration } = await planOf(`{${files}}`, state, options);
  return holding({ saved: first.plan, again: plan, configuration: atTime(configuration, request) }, source);
}

/** What is reported about a saved plan, or the plan that is applied. */
async function holding(
  plans: Pick<Parameters<typeof planThatHolds>[0], 'saved' | 'again' | 'configuration'>,
  source: 'files' | 'journal' = 'files',
) {
  const reader = { get: async () => ({}) } as unknown as ServiceReader;
  try {
    return await planThatHolds({ ...plans, source, reader });
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    return error.diagnostics;
  }
}

/** The plan of files for the live state when plans are saved. */
const planned = (files = 'workspaces: {network: {auto-apply: true}}') =>
  planOf(`{${files}}`, JSON.stringify(before));

test.each(rowsIn<Dated>`
- {what: begins, saved: 2026-11-01, again: 2026-11-12, freeze: true, is: [what is held changed after the plan was saved, 'run again after the freeze window or with --override-freeze REASON; for the rest, save a new plan, and run it with --skip-frozen']}
- {what: ends, saved: 2026-11-12, again: 2026-11-25, freeze: true, is: [what is held changed after the plan was saved, run \`attune plan --out\` again and review the new plan]}
- {what: is overridden, saved: 2026-11-12, again: 2026-11-12, override: urgent, freeze: true, is: [what is held changed after the plan was saved, 'replace --plan by --base HEAD^1 --only-changed, or save a new plan after the freeze window']}
- {what: is overridden by an undo, saved: 2026-11-12, again: 2026-11-12, override: urgent, freeze: true, source: journal, is: [what is held changed after the plan was saved, run \`attune undo\` again with --out FILE --override-freeze REASON and review the new plan]}
- {what: 'is overridden, and an exception ends', saved: 2026-11-14, again: 2026-11-18, override: urgent, freeze: true, exception: true, is: [what is held changed after the plan was saved, 'replace --plan by --base HEAD^1 --only-changed, or save a new plan after the freeze window']}
- {what: was overridden, saved: 2026-11-12, again: 2026-11-13, overridden: INC 7, freeze: true, source: journal, is: [what is held changed after the plan was saved, 'run again after the freeze window or with --override-freeze REASON; for the rest, save a new plan, and run it with --skip-frozen']}
- {what: 'was overridden, and ends', saved: 2026-11-12, again: 2026-11-25, overridden: INC 7, freeze: true, is: holds}
- {what: 'begins, and an exception ends', saved: 2026-11-09, again: 2026-11-18, freeze: true, exception: true, is: [what is held changed after the plan was saved, run \`attune plan --out\` again and review the new plan]}
- {what: 'is overridden that holds nothing, and an exception ends', saved: 2026-11-01, again: 2026-11-25, override: urgent, exception: true, is: [what is held changed after the plan was saved, run \`attune plan --out\` again and review the new plan]}
- {what: ends after the rest is made, saved: 2026-11-12, again: 2026-11-25, freeze: true, live: {workspaces: {app: {auto-apply: true}}}, is: [what is held changed after the plan was saved, run \`attune plan --out\` again and review the new plan]}
- {what: held what is made meanwhile, saved: 2026-11-12, again: 2026-11-13, freeze: true, live: {workspaces: {network: {auto-apply: true}}}, is: holds}
- {what: has nothing to do with access that ends, saved: 2026-11-01, again: 2026-11-12, files: 'team-access: {prj-platform: {team-dev: {access: read, until: 2026-11-05}}}', is: [access ended after the plan was saved, run \`attune plan --out\` again and review the new plan]}
`)('a saved plan that is made again after a freeze window $what', async (row) => {
  const found = await outcomeLater(row);
  const reported = Array.isArray(found) ? found.map(({ message, hint }) => [message, hint]) : ['holds'];
  expect(reported).toContainEqual(row.is);
});

const bodyOf = (attributes: object) => JSON.stringify({ data: { type: 'workspaces', attributes } });

test('a changed plan file is refused, and so is a change that it does not have', async () => {
  const files = 'workspaces: {network: {auto-apply: true}, app: {auto-apply: true, description: New}}';
  const { plan, configuration } = await planned(files);
  const [app, network] = plan.changes as [PlannedChange, PlannedChange];
  const [call] = app.calls as [PlannedChange['calls'][0]];
  const edited = { ...app, calls: [{ ...call, path: `/workspaces/${'x'.repeat(400)}` }] };
  const found = await holding({ saved: { ...plan, changes: [edited, network] }, again: plan, configuration });
  expect(found).toMatchObject([
    {
      message: 'the plan file does not match the files',
      hint: 'run `attune plan --out` again and review the new plan',
      address: 'workspace.app',
      detail: [
        '--- saved plan',
        '+++ plan now',
        '@@ -2,4 +2,4 @@',
        '   live auto-apply: false',
        '   live description: null',
        '   live name: "app"',
        `-  updateWorkspace: PATCH /workspaces/${'x'.repeat(262)}...`,
        `+  updateWorkspace: PATCH /workspaces/ws-app ${bodyOf({ 'auto-apply': true, description: 'New' })}`,
      ],
    },
  ]);
  // What is 300 characters long is shown whole.
  const { body: _body, ...bodiless } = call;
  const path = `/workspaces/${'x'.repeat(262)}`;
  const long = { ...plan, changes: [{ ...app, calls: [{ ...bodiless, path }] }, network] };
  expect(await holding({ saved: long, again: plan, configuration })).toMatchObject([
    { detail: expect.arrayContaining([`-  updateWorkspace: PATCH ${path}`]) },
  ]);
  const more = await holding({ saved: { ...plan, changes: [] }, again: plan, configuration });
  const message = 'the live state changed after the plan was saved';
  expect(more).toMatchObject([{ message, address: 'workspace.app', detail: { length: 12 } }]);
});

test('a plan file that has another name for an id is applied with that of the new plan', async () => {
  const files = 'projects: {pay: prj-payments}, workspaces: {network: {project: pay}}';
  const { plan, configuration } = await planned(files);
  const changes = plan.changes.map((change) => ({
    ...change,
    fields: change.fields.map((field) => ({ ...field, after: 'Payments' })),
  }));
  expect(await holding({ saved: { ...plan, changes }, again: plan, configuration })).toEqual(plan);
});

test('saved and new changes are compared by their live values, requests, dependencies and holds', () => {
  const update = {
    ...{ address: 'workspace.app', kind: 'workspace', name: 'app', id: 'ws-app', action: 'update' },
    fields: [
      { path: 'auto-apply', before: false, after: true, inEffect: { before: 'a', after: 'b' } },
      { path: 'tags' },
    ],
    grants: [{ path: 'runs', before: 'read', after: 'apply' }],
    facts: { exists: true, 'auto-apply': false, lock: { locked: true } },
    calls: [
      { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-app', body: { data: 1 } },
      { operation: 'unlockWorkspace', method: 'POST', path: '/workspaces/ws-app/unlock' },
    ],
    dependsOn: ['project.a', 'project.b'],
    held: [
      { by: 'freeze', reason: 'x', until: '2026-11-21' },
      { by: 'exception', reason: 'y', until: '2026-11-22', fields: ['ssh-key', 'lock'] },
      { by: 'exception', reason: 'z', until: '2026-11-20', fields: ['description'] },
    ],
  } as unknown as PlannedChange;
  expect(changeText(update).split('\n')).toEqual([
    'update workspace.app ws-app: auto-apply, tags',
    '  live auto-apply: false',
    '  live lock: "locked"',
    '  in effect auto-apply: {"before":"a","after":"b"}',
    '  implied runs: ["read","apply"]',
    '  updateWorkspace: PATCH /workspaces/ws-app {"data":1}',
    '  unlockWorkspace: POST /workspaces/ws-app/unlock',
    '  after project.a',
    '  after project.b',
    '  held: all by freeze window until 2026-11-21',
    '  held: description by exception until 2026-11-20',
    '  held: ssh-key, lock by exception until 2026-11-22',
  ]);
  const bare = { address: 'workspace.old', action: 'delete', fields: [], calls: [], dependsOn: [] };
  const removals = [{ mode: 'force', resources: 3 }, { mode: 'force' }, { mode: 'safe', resources: 3 }, {}];
  expect(removals.map((values) => changeText({ ...bare, ...values } as unknown as PlannedChange))).toEqual([
    'delete workspace.old, force\n  live resource-count: 3',
    ...['delete workspace.old, force', 'delete workspace.old, safe', 'delete workspace.old'],
  ]);
  expect(changeText(undefined)).toBe('');
});

test('a plan that holds shows what was reviewed', async () => {
  const { plan, configuration } = await planned();
  const [change] = plan.changes as [PlannedChange];
  const cause = 'change' as const;
  const reviewed = {
    effects: { ...plan.effects, moves: [] },
    base: { ref: 'main' } as NonNullable<Plan['base']>,
    noLongerDeclared: [{ address: 'workspace.app', field: 'description' }],
    changes: [{ ...change, cause, fields: change.fields.map((field) => ({ ...field, cause })) }],
  };
  const shown = await holding({ saved: { ...plan, ...reviewed }, again: plan, configuration });
  expect(shown).toMatchObject(reviewed);
  const without = (await holding({ saved: plan, again: plan, configuration })) as Plan;
  expect([without.base, without.noLongerDeclared]).toEqual([undefined, undefined]);
  expect(without.changes[0]?.cause).toBeUndefined();
});

test('a change that is declared no more has no place in the files, and an undo of it has its own command', async () => {
  const { plan } = await planned();
  const { plan: again, configuration } = await planned('workspaces: {}');
  const [found, ...more] = (await holding({ saved: plan, again, configuration })) as Diagnostic[];
  expect([found?.address, found?.location, more]).toEqual(['workspace.network', undefined, []]);
  expect(await holding({ saved: plan, again, configuration }, 'journal')).toMatchObject([
    {
      message: 'the live state changed after the plan was saved, or the plan is for another journal',
      hint: 'run `attune undo --out` again and review the new plan',
    },
  ]);
});

test('a declaration that changed refuses a plan that shows only some of them', async () => {
  const { plan, configuration } = await planned();
  const other = await planned('workspaces: {network: {auto-apply: true, tags: [staging]}}');
  const base = { ref: 'main', onlyChanged: true } as NonNullable<Plan['base']>;
  const saved = { ...plan, base };
  expect(await holding({ saved, again: other.plan, configuration: other.configuration })).toMatchObject([
    { message: 'the files changed after the plan was saved' },
  ]);
  expect(await holding({ saved, again: plan, configuration })).toMatchObject({
    changes: [{ address: 'workspace.network' }],
  });
});

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev', out: 'team-out' },
  'ssh-keys': { deploy: 'sshkey-deploy' },
  workspaces: { network: { id: 'ws-network' }, app: {}, zebra: {}, untouched: {} },
  'team-access': { 'prj-platform': { 'team-sre': 'maintain', 'team-out': 'read' } },
} as const;
const reads = (world: World) => world.requests().filter((request) => request.startsWith('GET '));
const savedWorld = async (yaml: string) => {
  const head = 'attune: 1\norganization: acme\nlimits: {delete-percent: 100}\n';
  // Values that are older than three seconds would be read again, on a busy machine, too.
  const world = await worldWith(`${head}${yaml}\n`, { seed }, { clock: jumpingClock() });
  expect((await world.attune('plan', '--out', 'plan.json')).code).toBe(0);
  return world;
};

test('the check of a saved plan reads each workspace, consumer list and project once', async () => {
  const world = await savedWorld(`workspaces:
  network: {auto-apply: true, tags: [prod], remote-state-consumers: [app], ssh-key: sshkey-deploy, lock: true}
  app: {auto-apply: true}
  zebra: {auto-apply: false}
  untouched: {}
  new: {}
team-access: {prj-platform: {team-sre: admin, team-out: none}, prj-payments: {team-dev: read}}`);
  await world.attune('apply', '--plan', 'plan.json', '--yes');
  // A grant is read once more right before it is revoked.
  const checked = reads(world).filter((request) => !/^GET \/team-projects\/tprj-/.test(request));
  expect([checked.length, reads(world).length]).toEqual([9, 10]);
  expect(checked.sort()).toEqual([
    'GET /organizations/acme/projects?page[size]=100',
    'GET /organizations/acme/ssh-keys?page[size]=100',
    'GET /organizations/acme/teams?page[size]=100',
    'GET /organizations/acme/workspaces/app',
    'GET /organizations/acme/workspaces/network',
    'GET /organizations/acme/workspaces/new',
    'GET /team-projects?filter[project][id]=prj-payments&page[size]=100',
    'GET /team-projects?filter[project][id]=prj-platform&page[size]=100',
    'GET /workspaces/ws-network/relationships/remote-state-consumers?page[size]=100',
  ]);
});
