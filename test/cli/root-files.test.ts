import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';

const env = { ATTUNE_TOKEN: 'test-token' };
const root = (rest: string, organization = 'acme') => `attune: 1\norganization: ${organization}\n${rest}\n`;
const prunesAll = 'scope: {names: ["*"]}\nprune: {workspaces: force}\nlimits: {delete-percent: 100}';

/** Two root files of one organization in one run, at the address of `--address` or at those that they name. */
async function runOf(
  files: { readonly one: (url: string) => string; readonly two: (url: string) => string },
  seed: NonNullable<EmulatorOptions['seed']>,
  options: Pick<EmulatorOptions, 'dialect'> = {},
) {
  const service = await serviceWith({ seed, ...options });
  const cwd = await folderWith({
    'one/attune.yaml': files.one(service.url),
    'two/attune.yaml': files.two(service.url),
  });
  return {
    url: service.url,
    attune: (argv: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      attune([...argv, 'one', 'two'], { cwd, env: { ...env, ...more } }),
    requests: () => service.requests.map(({ method, path }) => `${method} ${path}`),
    writes: () => service.requests.filter(({ method }) => method !== 'GET').length,
  };
}

test('a root file prunes nothing that another one declares', async () => {
  const run = await runOf(
    {
      one: () =>
        root(
          'workspaces: {a: {}}\nteam-access: {prj-1: {team-1: read}}\nscope: {names: ["*"]}\nprune: {workspaces: force, team-access: true}\nlimits: {delete-percent: 100}',
        ),
      two: () => root('workspaces: {b: {}, d: {renamed-from: former}}\nteam-access: {Payments: {ops: read}}'),
    },
    {
      projects: { Payments: 'prj-1' },
      teams: { sre: 'team-1', ops: 'team-2' },
      workspaces: { a: {}, b: {}, c: {}, former: {} },
      'team-access': { Payments: { sre: 'read', ops: 'read' } },
    },
  );
  const { code, stdout } = await run.attune(['apply', '--yes', '--address', run.url]);
  expect([code, stdout.slice(stdout.indexOf('Deleted:')).match(/^ {2}[-+~] \S+/gm)]).toEqual([
    0,
    ['  - workspace.c', '  ~ workspace.d'],
  ]);
});

describe('root files of one organization are compared although they write its service differently', () => {
  const at = (address: string, rest: string, organization?: string) =>
    root(`service: {address: "${address}"}\n${rest}`, organization);
  const seed = { workspaces: { a: {}, b: {} } };

  test.each([
    ['another name of the loopback host', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['another letter case', (url: string) => url.replace('127.0.0.1', 'LocalHost')],
    ['a slash at its end', (url: string) => `${url}/`],
  ])(
    'nothing that the other root file of one organization declares is pruned when the address has %s',
    async (_, spelled) => {
      const run = await runOf(
        {
          one: (url) => at(url, `workspaces: {a: {}}\n${prunesAll}`),
          two: (url) => at(spelled(url), 'workspaces: {b: {}}'),
        },
        seed,
      );
      const { code } = await run.attune(['apply', '--yes']);
      expect([code, run.writes()]).toEqual([0, 0]);
    },
  );

  test.each([
    ['--address', (url: string) => ({ argv: ['--address', url], more: {} })],
    ['ATTUNE_ADDRESS', (url: string) => ({ argv: [], more: { ATTUNE_ADDRESS: url } })],
  ])(
    'nothing that the other root file of one organization declares is pruned when %s overrides two different addresses',
    async (_, override) => {
      const run = await runOf(
        {
          one: () => at('https://one.example.com', `workspaces: {a: {}}\n${prunesAll}`),
          two: () => at('https://two.example.com', 'workspaces: {b: {}}'),
        },
        seed,
      );
      const { argv, more } = override(run.url);
      const { code } = await run.attune(['apply', '--yes', ...argv], more);
      expect([code, run.writes()]).toEqual([0, 0]);
    },
  );

  test('a workspace in two root files is an error when only the letter case of the organization differs', async () => {
    const run = await runOf(
      {
        one: (url) => at(url, 'workspaces: {a: {}}'),
        two: (url) => at(url, 'workspaces: {a: {}}', 'Acme'),
      },
      seed,
    );
    const { code, stdout } = await run.attune(['validate']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'one/attune.yaml:4:14: error[duplicate-name]: the workspace "a" is declared twice, also at two/attune.yaml:4:14\n',
    );
  });
});

describe('renamed-from is checked across root files before any write', () => {
  const refused = async (one: string, two: string) => {
    const run = await runOf(
      {
        one: (url) => root(`service: {address: "${url}"}\n${one}`),
        two: (url) => root(`service: {address: "${url}"}\n${two}`),
      },
      { workspaces: { old: {} } },
    );
    const { code, stderr } = await run.attune(['apply', '--yes']);
    expect([code, run.requests()]).toEqual([1, []]);
    return stderr;
  };

  test('a workspace that another root file deletes cannot be renamed', async () => {
    expect(
      await refused('workspaces: {old: {state: absent}}', 'workspaces: {new: {renamed-from: old}}'),
    ).toBe(
      `two/attune.yaml:4:20: error[renamed-from]: the former name "old" is declared, too, at one/attune.yaml:4:14
  4 | workspaces: {new: {renamed-from: old}}
    |                    ^
No changes were made.
`,
    );
  });

  test('a workspace that another root file protects cannot be renamed', async () => {
    expect(
      await refused('workspaces: {old: {protect: true}}', 'workspaces: {new: {renamed-from: old}}'),
    ).toBe(
      `two/attune.yaml:4:20: error[renamed-from]: the former name "old" is declared, too, at one/attune.yaml:4:14
  4 | workspaces: {new: {renamed-from: old}}
    |                    ^
No changes were made.
`,
    );
  });

  test('two root files cannot rename the same workspace', async () => {
    expect(
      await refused('workspaces: {new: {renamed-from: old}}', 'workspaces: {other: {renamed-from: old}}'),
    ).toBe(
      `one/attune.yaml:4:20: error[renamed-from]: "old" is also the former name of "other", at two/attune.yaml:4:22
  4 | workspaces: {new: {renamed-from: old}}
    |                    ^
two/attune.yaml:4:22: error[renamed-from]: "old" is also the former name of "new", at one/attune.yaml:4:20
  4 | workspaces: {other: {renamed-from: old}}
    |                      ^
No changes were made.
`,
    );
  });
});

describe('grants of two root files are compared by the ids of project and team', () => {
  const seed = {
    projects: { Payments: 'prj-1' },
    teams: { sre: 'team-1', ops: 'team-2' },
    workspaces: { a: {} },
    'team-access': { Payments: { sre: 'read', ops: 'read' } },
  };
  const byIds =
    'team-access: {prj-1: {team-1: read}}\nprune: {team-access: true}\nlimits: {delete-percent: 100}';
  const byNames =
    'projects: {pay: {name: Payments}}\nteams: {on-call: {name: ops}}\nteam-access: {pay: {on-call: read}}';
  const runFor = (one: string, two: string) =>
    runOf(
      {
        one: (url) => root(`service: {address: "${url}"}\n${one}`),
        two: (url) => root(`service: {address: "${url}"}\n${two}`),
      },
      seed,
    );

  test.each([[[]], [['--only', 'team-access.prj-1/*']]])(
    'prune with %j does not revoke a grant that the other root file declares by names',
    async (flags) => {
      const run = await runFor(byIds, byNames);
      const { code } = await run.attune(['apply', '--yes', ...flags]);
      expect([code, run.writes()]).toEqual([0, 0]);
    },
  );

  test.each([[[]], [['--only', 'team-access.prj-1/*']]])(
    'a pair of project and team with %j in both root files is an error at both places before any write',
    async (flags) => {
      const run = await runFor('team-access: {prj-1: {team-2: none}}', byNames);
      const { code, stderr } = await run.attune(['apply', '--yes', ...flags]);
      expect([code, stderr]).toEqual([
        1,
        `one/attune.yaml:4:23: error[duplicate-name]: the access of one team to one project is declared twice, also as "pay/on-call" at two/attune.yaml:6:21
  4 | team-access: {prj-1: {team-2: none}}
    |                       ^
two/attune.yaml:6:21: error[duplicate-name]: the access of one team to one project is declared twice, also as "prj-1/team-2" at one/attune.yaml:4:23
  6 | team-access: {pay: {on-call: read}}
    |                     ^
No changes were made.
`,
      ]);
      expect(run.writes()).toBe(0);
    },
  );

  test('a run over workspaces of several root files does not look up names of grants', async () => {
    const run = await runFor('team-access: {prj-1: {team-1: read}}\nworkspaces: {a: {}}', byNames);
    expect((await run.attune(['plan', '--only', 'workspace.*'])).code).toBe(0);
    expect(run.requests()).toEqual(['GET /organizations/acme/workspaces/a']);
  });

  test('the names of several root files are read once per kind', async () => {
    const named = (team: string) =>
      `projects: {pay: {name: Payments}}\nteams: {my-${team}: {name: ${team}}}\nteam-access: {pay: {my-${team}: read}}`;
    const run = await runFor(named('sre'), named('ops'));
    expect((await run.attune(['plan'])).code).toBe(0);
    const lookUps = run.requests().filter((request) => /\/(projects|teams)\?/.test(request));
    expect(lookUps.sort()).toEqual([
      'GET /organizations/acme/projects?page[size]=100',
      'GET /organizations/acme/teams?page[size]=100',
    ]);
  });
});

describe('managed projects of two root files are compared by their ids and names', () => {
  const seed = { projects: { Old: 'prj-1', Other: 'prj-2' }, workspaces: { app: { project: 'Other' } } };
  const at = (rest: string) => (url: string) =>
    root(`service: {address: "${url}", dialect: terraform}\n${rest}`);
  const runFor = (one: string, two: string) =>
    runOf({ one: at(one), two: at(two) }, seed, { dialect: 'terraform' });
  const deletesByName = 'projects: {two: {name: Old, manage: true, state: absent}}';

  test.each([[[]], [['--only', 'project.two']], [['--only', 'project.o*']]])(
    'a project with %j that one root file protects by id and the other deletes by name is an error at both places',
    async (flags) => {
      const run = await runFor('projects: {one: {id: prj-1, manage: true, protect: true}}', deletesByName);
      const { code, stderr } = await run.attune(['apply', '--yes', ...flags]);
      expect([code, stderr]).toEqual([
        1,
        `one/attune.yaml:4:18: error[duplicate-name]: the project "prj-1" is declared twice, also as "two" at two/attune.yaml:4:12
  4 | projects: {one: {id: prj-1, manage: true, protect: true}}
    |                  ^
two/attune.yaml:4:12: error[duplicate-name]: the project "prj-1" is declared twice, also as "one" at one/attune.yaml:4:18
  4 | projects: {two: {name: Old, manage: true, state: absent}}
    |            ^
No changes were made.
`,
      ]);
      expect(run.writes()).toBe(0);
    },
  );

  test('a project with --only of its tombstone by id is compared with the name in the other root file', async () => {
    const run = await runFor(
      'projects: {one: {name: Old, manage: true, protect: true}}',
      'projects: {two: {id: prj-1, manage: true, state: absent}}',
    );
    const { code, stderr } = await run.attune(['apply', '--yes', '--only', 'project.two']);
    expect(code).toBe(1);
    expect(stderr).toContain('two/attune.yaml:4:18: error[duplicate-name]');
    expect(run.writes()).toBe(0);
  });

  test('two root files cannot rename a project to one name, or from the name that the other manages', async () => {
    const renames = 'projects: {a: {name: New, manage: true, renamed-from: Old}}';
    for (const other of [
      'projects: {b: {name: new, manage: true}}',
      'projects: {b: {name: Third, manage: true, renamed-from: Old}}',
      'projects: {b: {name: Old, manage: true, state: absent}}',
    ]) {
      const run = await runFor(renames, other);
      const { code, stdout } = await run.attune(['validate']);
      expect([code, run.requests()]).toEqual([1, []]);
      expect(stdout).toContain('error[duplicate-name]');
    }
  });

  test('a name of a project that another root file changes is a warning', async () => {
    const run = await runFor(
      'projects: {a: {name: New, manage: true, renamed-from: Old}}',
      'workspaces: {b: {project: Old}}',
    );
    const { stderr } = await run.attune(['plan']);
    expect(stderr).toMatch(/^two\/attune.yaml:4:27: warning\[former-name\]: /);
  });

  test('an alias that means two objects in the addresses of two root files is an error', async () => {
    const run = await runFor(
      'projects: {new: {name: First, manage: true}}',
      'projects: {new: {name: Second, manage: true}}',
    );
    const { code, stdout } = await run.attune(['validate']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        'one/attune.yaml:4:12: error[duplicate-name]: two root files use the address project.new for different objects, also at two/attune.yaml:4:12',
      ),
    ]);
  });

  test('a project can be renamed from a name that a workspace has', async () => {
    const run = await runFor(
      'projects: {a: {name: New, manage: true, renamed-from: app}}',
      'workspaces: {app: {}}',
    );
    expect((await run.attune(['validate'])).code).toBe(0);
  });

  test('workspaces and access in a project that another root file deletes are errors at their places', async () => {
    const run = await runFor(
      deletesByName,
      'workspaces: {app: {project: prj-1}}\nteam-access: {prj-1: {team-1: admin}}',
    );
    const { code, stderr } = await run.attune(['apply', '--yes']);
    expect([code, stderr]).toEqual([
      1,
      `two/attune.yaml:4:20: error[reference-to-tombstone]: the project "two" is deleted (state: absent at one/attune.yaml:4:12)
  4 | workspaces: {app: {project: prj-1}}
    |                    ^
two/attune.yaml:5:23: error[reference-to-tombstone]: the project "two" is deleted (state: absent at one/attune.yaml:4:12)
  5 | team-access: {prj-1: {team-1: admin}}
    |                       ^
No changes were made.
`,
    ]);
    expect(run.writes()).toBe(0);
  });

  test('a run over workspaces does not look up the names of managed projects', async () => {
    const run = await runFor(
      'projects: {a: {name: Old, manage: true}}\nworkspaces: {app: {}}',
      'projects: {b: {name: Other, manage: true}}',
    );
    expect((await run.attune(['plan', '--only', 'workspace.*'])).code).toBe(0);
    expect(run.requests()).toEqual(['GET /organizations/acme/workspaces/app']);
  });
});

describe('guards hold for all root files of an organization in a run', () => {
  const seed = {
    projects: { Payments: 'prj-1', Secret: 'prj-2' },
    teams: { sre: 'team-1', ops: 'team-2', dev: { id: 'team-3' } },
    workspaces: { web: { project: 'Secret' }, 'a-prod': {}, b: {} },
    'team-access': { Payments: { sre: 'admin', ops: 'admin', dev: 'read' } },
  };
  const runFor = (one: string, two: string) =>
    runOf(
      {
        one: (url) => root(`service: {address: "${url}"}\n${one}`),
        two: (url) => root(`service: {address: "${url}"}\n${two}`),
      },
      seed,
    );
  const refused = async (one: string, two: string, ...flags: readonly string[]) => {
    const run = await runFor(one, two);
    const { code, stderr } = await run.attune(['apply', '--yes', ...flags]);
    expect([code, run.writes()]).toEqual([1, 0]);
    return stderr;
  };

  test('a workspace that guards.protect of one root file names is not deleted by another one', async () => {
    expect(await refused('guards: {protect: ["*-prod"]}', 'workspaces: {a-prod: {state: absent}}')).toBe(
      `two/attune.yaml:4:14: error[protected]: workspace.a-prod cannot be deleted: guards.protect has "*-prod" (../one/attune.yaml:4:20)
  4 | workspaces: {a-prod: {state: absent}}
    |              ^
  hint: remove \`state: absent\`, or remove "*-prod" from guards.protect
No changes were made.
`,
    );
  });

  test('a workspace that guards.protect of one root file names is not pruned by another one', async () => {
    expect(await refused('guards: {protect: ["*-prod"]}', prunesAll)).toContain(
      'one/attune.yaml:4:20: error[protected]: workspace.a-prod cannot be deleted: guards.protect has "*-prod"',
    );
  });

  test.each([[[]], [['--only', 'workspace.web']]])(
    'guards.protect of one root file selects by names of projects in another one, with %j',
    async (flags) => {
      expect(
        await refused(
          'projects: {s: {name: Secret}}\nguards: {protect: [{project: s}]}',
          'workspaces: {web: {state: absent}}',
          ...flags,
        ),
      ).toContain('error[protected]: workspace.web cannot be deleted: guards.protect has {project: "s"}');
    },
  );

  test.each([[[]], [['--only', 'team-access.*']]])(
    'two root files do not revoke the last admins of a project together, with %j',
    async (flags) => {
      const stderr = await refused(
        'guards: {keep-admin: [sre, ops]}\nprojects: {pay: {name: Payments}}\nteam-access: {pay: {sre: none}}',
        'team-access: {prj-1: {team-2: read}}',
        ...flags,
      );
      expect(codesOnly(stderr)).toContain('error[keep-admin]');
    },
  );

  test('guards.keep-self of one root file holds for the access that another one lowers', async () => {
    const run = await runOf(
      {
        one: (url) => root(`service: {address: "${url}"}\nguards: {keep-self: true}`),
        two: (url) => root(`service: {address: "${url}"}\nteam-access: {prj-1: {team-2: read}}`),
      },
      { ...seed, tokens: { 'test-token': { role: 'owner', teams: ['ops'], kind: 'team' } } },
    );
    const { code, stderr } = await run.attune(['apply', '--yes']);
    expect([code, run.writes()]).toEqual([1, 0]);
    expect(stderr).toContain(
      'error[keep-self]: team-access.prj-1/team-2 is lowered from admin to read, and this token acts through team team-2',
    );
  });
});

describe('deletes of several root files', () => {
  const seed = { workspaces: Object.fromEntries([...'abcdefghijkl'].map((name) => [name, {}])) };
  const tombstones =
    (names: string, rest = '') =>
    (url: string) =>
      root(
        `service: {address: "${url}"}\n${rest}workspaces: {${[...names].map((name) => `${name}: {state: absent}`)}}`,
      );

  test('--max-deletes counts the deletes of all root files', async () => {
    const run = await runOf({ one: tombstones('ab'), two: tombstones('cd') }, seed);
    const { code, stderr } = await run.attune(['apply', '--yes', '--max-deletes', '3']);
    expect([code, stderr]).toEqual([
      1,
      `error[too-many-deletes]: the 2 plans of this run delete 4 together (2 + 2), and --max-deletes allows 3
  hint: review the deletions above; to allow them, pass --max-deletes 4
No changes were made.
`,
    ]);
    expect(run.writes()).toBe(0);
    expect((await run.attune(['apply', '--yes', '--max-deletes', '4'])).code).toBe(0);
  });

  test('each root file has its own limits, and the error points at the line that sets the limit', async () => {
    const run = await runOf(
      { one: tombstones('ab', 'limits: {deletes: 2}\n'), two: tombstones('cd', 'limits: {deletes: 1}\n') },
      seed,
    );
    const { code, stderr } = await run.attune(['apply', '--yes']);
    expect([code, stderr]).toEqual([
      1,
      `two/attune.yaml:4:19: error[too-many-deletes]: the plan deletes 2, and limits.deletes allows 1
  4 | limits: {deletes: 1}
    |                   ^
  hint: review the deletions above; to allow them, pass --max-deletes 4
No changes were made.
`,
    ]);
    expect(run.writes()).toBe(0);
  });

  test('the error about deletes names the root file if no line sets the limit', async () => {
    const run = await runOf({ one: tombstones('a'), two: tombstones('bcde') }, seed);
    const { code, stderr } = await run.attune(['apply', '--yes']);
    expect([code, stderr]).toEqual([
      1,
      `error[too-many-deletes]: two/attune.yaml: the plan deletes 4 of 12 live objects (33.3 percent), and limits.delete-percent allows 30 by default
  hint: review the deletions above; to allow them, pass --max-deletes 5
No changes were made.
`,
    ]);
    expect(run.writes()).toBe(0);
  });
});

test('two root files of an organization cost the requests of one with the same declarations', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `w${index}`);
  const workspaces = (own: readonly string[], list: string) =>
    `  ${own.map((name) => `${name}: {project: Main}`).join('\n  ')}\n  net${list}: {remote-state-consumers: [{tag: net}]}`;
  const parts = [
    `workspaces:\n${workspaces(names.slice(0, 6), 'a')}\nteam-access: {Main: {sre: read}}`,
    `workspaces:\n${workspaces(names.slice(6), 'b')}\nteam-access: {Other: {sre: read}}`,
  ] as const;
  const whole = `workspaces:\n${workspaces(names.slice(0, 6), 'a')}\n${workspaces(names.slice(6), 'b')}\nteam-access: {Main: {sre: read}, Other: {sre: read}}`;
  const seed = {
    projects: { Main: 'prj-1', Other: 'prj-2' },
    teams: { sre: 'team-1' },
    workspaces: Object.fromEntries(names.map((name) => [name, { project: 'Other', tags: ['net'] }])),
  };
  const requests = async (one: string, two: string, command: string) => {
    const run = await runOf({ one: () => root(one), two: () => root(two, two ? 'acme' : 'empty') }, seed);
    await run.attune([command, ...(command === 'apply' ? ['--yes'] : []), '--address', run.url]);
    return run.requests().filter((request) => !request.includes('/empty'));
  };
  for (const command of ['plan', 'drift']) {
    const [apart, joined] = [await requests(...parts, command), await requests(whole, '', command)];
    expect(apart.length).toBeGreaterThan(3);
    expect(apart.sort()).toEqual(joined.sort());
  }
});

test('a selector gives no access to a workspace that another root file untags in the same run', async () => {
  const run = await runOf(
    {
      one: () => root('workspaces: {a: {remote-state-consumers: [{tag: net}]}}'),
      two: () => root('workspaces: {b: {tags: []}}'),
    },
    { workspaces: { a: {}, b: { tags: ['net'] } } },
  );
  const { code } = await run.attune(['apply', '--yes', '--address', run.url]);
  expect(code).toBe(0);
  expect(run.requests().filter((request) => /^(POST|PATCH) .*remote-state-consumers$/.test(request))).toEqual(
    [],
  );
});
