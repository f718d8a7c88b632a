import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { grantId, sendTo } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', Payments: 'prj-payments', Other: 'prj-other' },
  teams: { sre: 'team-sre', dev: 'team-dev', out: 'team-out' },
  'ssh-keys': { deploy: 'sshkey-deploy', other: 'sshkey-other' },
  workspaces: {
    network: {
      id: 'ws-network',
      project: 'prj-platform',
      tags: ['staging'],
      'remote-state-consumers': ['zebra', 'app'],
      'ssh-key': 'sshkey-other',
      'vcs-repo': { identifier: 'acme/network', 'oauth-token-id': 'ot-1', branch: 'main' },
    },
    app: { id: 'ws-app', 'vcs-repo': { identifier: 'acme/app', 'oauth-token-id': 'ot-1' } },
    zebra: { id: 'ws-zebra' },
    old: { id: 'ws-old', project: 'prj-platform', tags: ['staging'] },
    untouched: { id: 'ws-untouched' },
  },
  'team-access': {
    'prj-platform': {
      'team-sre': 'maintain',
      'team-out': 'read',
      'team-dev': { access: 'custom', 'workspace-access': { runs: 'read', variables: 'read' } },
    },
  },
} as const satisfies Seed;

/** Plans this configuration, makes one change outside of Attune, and applies the plan. */
interface Row {
  readonly what: string;
  readonly yaml: string;
  readonly method?: 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Where it leaves the state that the plan leads to. */
  readonly reported?: 'applied';
  /** The error that the new plan itself ends with. @default 'plan-differs' */
  readonly refusedBy?: string;
}

const rows = rowsIn<Row>`
- {what: an attribute, yaml: 'workspaces: {network: {auto-apply: true}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {auto-apply: true}}}, reported: applied}
- {what: an attribute that was not set, yaml: 'workspaces: {network: {description: New words}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {description: Manual}}}}
- {what: the name, yaml: 'workspaces: {network: {auto-apply: true}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {name: renamed}}}}
- {what: 'the name, of a workspace that is renamed', yaml: 'workspaces: {net: {renamed-from: network}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {name: renamed}}}}
- {what: a new name that is taken, yaml: 'workspaces: {net: {renamed-from: network}}', path: /workspaces/ws-untouched, body: {data: {type: workspaces, attributes: {name: net}}}, refusedBy: renamed-from}
- {what: the project, yaml: 'workspaces: {network: {project: prj-payments}}', path: /workspaces/ws-network,
   body: {data: {type: workspaces, attributes: {}, relationships: {project: {data: {type: projects, id: prj-other}}}}}}
- {what: the tags, yaml: 'workspaces: {network: {tags: [prod]}}', method: POST, path: /workspaces/ws-network/relationships/tags, body: {data: [{type: tags, attributes: {name: by-hand}}]}}
- {what: 'the tags, where only some are declared', yaml: 'workspaces: {network: {tags: {add: [prod]}}}', method: DELETE, path: /workspaces/ws-network/relationships/tags,
   body: {data: [{type: tags, attributes: {name: staging}}]}}
- {what: the consumers, yaml: 'workspaces: {network: {remote-state-consumers: [app]}}', method: POST, path: /workspaces/ws-network/relationships/remote-state-consumers,
   body: {data: [{type: workspaces, id: ws-untouched}]}}
- {what: consumers where there were none, yaml: 'workspaces: {app: {remote-state-consumers: [network]}}', method: POST, path: /workspaces/ws-app/relationships/remote-state-consumers,
   body: {data: [{type: workspaces, id: ws-zebra}]}}
- {what: state that is shared with all, yaml: 'workspaces: {app: {remote-state-consumers: [network]}}', path: /workspaces/ws-app, body: {data: {type: workspaces, attributes: {global-remote-state: true}}}, refusedBy: consumers-with-global}
- {what: the retention, yaml: 'workspaces: {network: {data-retention: {delete-older-than-days: 9}}}', method: POST, path: /workspaces/ws-network/relationships/data-retention-policy,
   body: {data: {type: data-retention-policy-delete-olders, attributes: {deleteOlderThanNDays: 30}}}}
- {what: the lock, yaml: 'workspaces: {network: {lock: true}}', method: POST, path: /workspaces/ws-network/actions/lock, body: {}, reported: applied}
- {what: the SSH key, yaml: "ssh-keys: {deploy: sshkey-deploy}\nworkspaces: {network: {ssh-key: deploy}}", path: /workspaces/ws-network/relationships/ssh-key, body: {data: {type: workspaces, attributes: {id: null}}}}
- {what: a key of the repository, yaml: 'workspaces: {network: {vcs-repo: {branch: release}}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {vcs-repo: {branch: by-hand}}}}}
- {what: 'a key of a repository to remove, which was not set', yaml: 'workspaces: {app: {vcs-repo: null}}', path: /workspaces/ws-app, body: {data: {type: workspaces, attributes: {vcs-repo: {branch: by-hand}}}}}
- {what: a repository that is already removed, yaml: 'workspaces: {app: {vcs-repo: null}}', path: /workspaces/ws-app, body: {data: {type: workspaces, attributes: {vcs-repo: null}}}, reported: applied}
- {what: a workspace to create that exists, yaml: 'workspaces: {new: {}}', method: POST, path: /organizations/acme/workspaces, body: {data: {type: workspaces, attributes: {name: new}}}, reported: applied}
- {what: a workspace to change that is gone, yaml: 'workspaces: {network: {auto-apply: true}}', method: DELETE, path: /workspaces/ws-network}
- {what: a workspace to delete that is gone, yaml: 'workspaces: {old: {state: absent}}', method: DELETE, path: /workspaces/ws-old, reported: applied}
- {what: a workspace to delete that has another name, yaml: 'workspaces: {old: {state: absent}}', path: /workspaces/ws-old, body: {data: {type: workspaces, attributes: {name: kept}}}}
- {what: a workspace to delete that is in another project, yaml: 'workspaces: {old: {state: absent}}', path: /workspaces/ws-old,
   body: {data: {type: workspaces, attributes: {}, relationships: {project: {data: {type: projects, id: prj-other}}}}}}
- {what: a workspace to delete that has other tags, yaml: 'workspaces: {old: {state: absent}}', method: POST, path: /workspaces/ws-old/relationships/tags, body: {data: [{type: tags, attributes: {name: keep}}]}}
- {what: the level of a grant, yaml: 'team-access: {prj-platform: {team-sre: admin}}', path: /team-projects/<team-sre>, body: {data: {type: team-projects, attributes: {access: write}}}}
- {what: a custom permission, yaml: 'team-access: {prj-platform: {team-dev: {access: custom, workspace-access: {runs: apply, variables: read}}}}', path: /team-projects/<team-dev>,
   body: {data: {type: team-projects, attributes: {access: custom, workspace-access: {runs: plan}}}}}
- {what: a custom permission that a new level overwrites, yaml: 'team-access: {prj-platform: {team-dev: admin}}', path: /team-projects/<team-dev>,
   body: {data: {type: team-projects, attributes: {access: custom, workspace-access: {variables: write}}}}}
- {what: a grant to create that exists, yaml: 'team-access: {prj-payments: {team-dev: write}}', method: POST, path: /team-projects,
   body: {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-dev}}}}}}
- {what: a grant to revoke that is gone, yaml: 'team-access: {prj-platform: {team-out: none}}', method: DELETE, path: /team-projects/<team-out>, reported: applied}
- {what: a grant to revoke that has another level, yaml: 'team-access: {prj-platform: {team-out: none}}', path: /team-projects/<team-out>, body: {data: {type: team-projects, attributes: {access: admin}}}}
`;

async function planned(yaml: string): Promise<World> {
  const world = await worldWith(`attune: 1\norganization: acme\nlimits: {delete-percent: 100}\n${yaml}\n`, {
    seed,
  });
  const { code, stderr } = await world.attune('plan', '--out', 'plan.json');
  if (code !== 0) throw new Error(stderr);
  return world;
}

/** The service assigns the id of a grant; `<team>` in a path is replaced by it. */
async function changeManually(
  { service }: World,
  { method = 'PATCH', path, body }: Omit<Row, 'reported' | 'what' | 'yaml'>,
) {
  const team = /<(.*)>/.exec(path)?.[1];
  const id = team && (await grantId(service, { project: 'prj-platform', team }));
  await sendTo(service, method, path.replace(/<.*>/, id ?? ''), body);
}

test.each(rows.filter(({ reported }) => reported !== 'applied'))(
  'a saved plan is refused before the first write if an object that it changes was changed since: $what',
  async ({ yaml, refusedBy = 'plan-differs', ...change }) => {
    const world = await planned(yaml);
    await changeManually(world, change);
    const { code, stdout, stderr } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect([code, stdout, world.writes()]).toEqual([1, '', []]);
    expect([...stderr.matchAll(/error\[([a-z-]+)\]/g)].map((match) => match[1])).toEqual([refusedBy]);
    expect(stderr).toMatch(/No changes were made\.\n$/);
    if (refusedBy === 'plan-differs')
      expect(stderr).toMatch(
        /^attune\.yaml:\d+:\d+: error\[plan-differs\]: the live state changed after the plan was saved\n/,
      );
  },
);

test.each(rows.filter(({ reported }) => reported === 'applied'))(
  'a saved plan whose changes another user has made is already applied: $what',
  async ({ yaml, ...change }) => {
    const world = await planned(yaml);
    await changeManually(world, change);
    const { code, stderr } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect([code, stderr, world.writes()]).toEqual([
      0,
      'note[already-applied]: the saved plan of acme is already applied: no changes are needed\n',
      [],
    ]);
  },
);

test.each(rowsIn<Omit<Row, 'reported'>>`
- {what: another attribute of the same workspace, yaml: 'workspaces: {network: {auto-apply: true}}', path: /workspaces/ws-network, body: {data: {type: workspaces, attributes: {description: Manual}}}}
- {what: 'its tags, where only an attribute changes', yaml: 'workspaces: {network: {auto-apply: true}}', method: POST, path: /workspaces/ws-network/relationships/tags, body: {data: [{type: tags, attributes: {name: by-hand}}]}}
- {what: another workspace, yaml: 'workspaces: {network: {auto-apply: true}}', path: /workspaces/ws-untouched, body: {data: {type: workspaces, attributes: {name: elsewhere}}}}
- {what: a declared workspace that the plan leaves as it is, yaml: 'workspaces: {network: {auto-apply: true}, app: {auto-apply: false}}', path: /workspaces/ws-app, body: {data: {type: workspaces, attributes: {auto-apply: true}}}}
- {what: another grant of the same project, yaml: 'team-access: {prj-platform: {team-sre: admin}}', path: /team-projects/<team-out>, body: {data: {type: team-projects, attributes: {access: write}}}}
- {what: another permission under custom, yaml: "workspaces: {network: {auto-apply: true}}\nteam-access: {prj-platform: {team-out: none}}", path: /team-projects/<team-dev>,
   body: {data: {type: team-projects, attributes: {access: custom, workspace-access: {runs: plan}}}}}
`)('a saved plan is applied if only objects outside of it changed: $what', async ({ yaml, ...change }) => {
  const world = await planned(yaml);
  await changeManually(world, change);
  const { code, stderr } = await world.attune('apply', '--plan', 'plan.json', '--yes');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  expect(world.writes()).not.toEqual([]);
});

describe('the check of a saved plan reads only the objects of the plan', () => {
  const reads = (world: World) => world.requests().filter((request) => request.startsWith('GET '));

  test('the check of a saved plan reads each workspace, consumer list and project once', async () => {
    const world = await planned(`workspaces:
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

  test('the check of a saved plan needs no more reads in an organization of a thousand workspaces', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`w-${index}`, {}]));
    const world = await worldWith(
      'attune: 1\norganization: acme\nworkspaces: {w-7: {auto-apply: true}, w-8: {description: x}}\n',
      { seed: { organization: 'acme', workspaces: many } },
    );
    await world.attune('plan', '--out', 'plan.json');
    await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect(reads(world)).toHaveLength(2);
    expect(world.writes()).toHaveLength(2);
  });

  test('applying an empty saved plan sends no request', async () => {
    const world = await planned('workspaces: {network: {auto-apply: false}}');
    const { code, stdout } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('No changes. The live state matches the configuration.');
    expect(world.requests()).toEqual([]);
  });
});
