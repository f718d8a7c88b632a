import { describe, expect, test } from 'vitest';
import { NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { liveQueryOf } from '../../src/resolve/live-query-of.ts';
import { lookUpNames, type NamesOf, resolveNames, withFoundNames } from '../../src/resolve/look-up-names.ts';
import { withFormerNames } from '../../src/resolve/name-problems.ts';
import type { QueryOptions } from '../../src/resolve/plan-request.ts';
import { configured } from '../desired/load-files.ts';

type Service = Partial<Record<AliasKind, readonly (readonly [id: string, name: string])[] | string>>;

/** Things by kind; instead of a list the reason why there is none. */
function serviceOf(things: Service): { readonly namesOf: NamesOf; readonly asked: AliasKind[] } {
  const asked: AliasKind[] = [];
  return {
    asked,
    namesOf: async (kind) => {
      asked.push(kind);
      const known = things[kind] ?? [];
      if (typeof known === 'string') throw new NoLookUpError(kind, known);
      return known.map(([id, name]) => ({ id, name }));
    },
  };
}

const live: Service = {
  projects: [
    ['prj-P', 'Payments Platform'],
    ['prj-Q', 'payments'],
  ],
  teams: [
    ['team-S', 'SRE'],
    ['team-B', 'team-b'],
    ['team-c', 'Team C'],
  ],
  'ssh-keys': [['sshkey-D', 'deploy']],
  'agent-pools': [['apool-O', 'On-prem']],
  'vcs-connections': [['ot-G', 'GitHub acme']],
};

async function named(yaml: string, options: QueryOptions = {}, things = live) {
  const { namesOf, asked } = serviceOf(things);
  const configuration = await lookUpNames(await configured(yaml), namesOf, options);
  return { configuration, asked: asked.sort() };
}

describe('names become ids', () => {
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

  test('an alias wins over a name', async () => {
    const { configuration, asked } = await named(`
projects: {payments: prj-P}
workspaces: {a: {project: payments}}
`);
    expect(configuration.desired.resources.get('workspace.a')?.attributes).toEqual({ project: 'prj-P' });
    expect(asked).toEqual([]);
  });

  test('a name wins over a value that could be an id, which is an id if a resource has it', async () => {
    const { configuration } = await named('team-access: {prj-P: {team-b: read, team-c: read}}');
    const teams = [...configuration.desired.resources.values()].map(({ attributes }) => attributes.team);
    expect(teams).toEqual(['team-B', 'team-c']);
  });

  test('a value that could be an id is an id if the service does not list names', async () => {
    const { configuration, asked } = await named(
      'team-access: {prj-P: {team-b: read}}',
      {},
      { teams: '404' },
    );
    expect([...configuration.desired.resources.values()][0]?.attributes.team).toBe('team-b');
    expect(asked).toEqual(['teams']);
  });

  test.each(['prj-7hWq', 'prj-P', 'prj-0', 'prj-Ab12Cd34Ef56Gh78'])(
    'the value %s is an id, and no request for names is sent',
    async (id) => {
      const { asked } = await named(`workspaces: {a: {project: ${id}}}`);
      expect(asked).toEqual([]);
    },
  );
});

describe('only what the run depends on is asked for', () => {
  const yaml = `
projects: {pay: {name: Payments Platform}, unused: {name: Nothing}}
templates: {unused: {ssh-key: nothing}}
workspaces:
  a: {project: pay}
  b: {ssh-key: deploy}
  gone: {state: absent}
team-access: {pay: {SRE: read}}
`;
  const choose = (...addresses: readonly string[]): QueryOptions => ({
    chosen: (address) => addresses.includes(address),
  });

  test.each<[string, QueryOptions, readonly AliasKind[]]>([
    ['one workspace', choose('workspace.a'), ['projects']],
    ['a delete, whose limits count the grants of declared projects', choose('workspace.gone'), ['projects']],
  ])('only the names that the run depends on are requested: %s', async (_, options, kinds) => {
    const { configuration, asked } = await named(yaml, options);
    expect(asked).toEqual(kinds);
    expect(() => liveQueryOf(configuration, options)).not.toThrow();
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

  test('the names of the scope are requested if the scope is read or pruned', async () => {
    const scope = 'scope: {projects: [payments]}\n';
    expect((await named(scope)).asked).toEqual([]);
    expect((await named(scope, { purpose: 'drift' })).asked).toEqual(['projects']);
    expect((await named(`${scope}prune: {workspaces: safe}\n`)).asked).toEqual(['projects']);
  });
});

interface Wrong {
  readonly title: string;
  readonly yaml: string;
  readonly things?: Service;
  readonly printed: string;
}

describe('what cannot be looked up', () => {
  test.each<Wrong>([
    {
      title: 'a name that nothing has, with the nearest alias or name',
      yaml: `
projects: {platform: prj-1, pay: {name: Payment Platform}}
teams: {oncall: team-1}
workspaces:
  a: {project: plattform}
  b: {project: Payments}
  c: {project: oncall}
  d: {project: pay}
  e: {agent-pool-id: nowhere}
  f: {ssh-key: nothing}
team-access: {platform: {team-bb: read}}
`,
      things: { ...live, 'agent-pools': [] },
      printed: `
attune.yaml:3:34: error[unknown-name]: "Payment Platform" is not the name of a project of acme that this token may see
  hint: did you mean "Payments Platform"?
attune.yaml:6:16: error[unknown-name]: "plattform" is neither an alias under projects nor the name of a project of acme that this token may see
  hint: did you mean "platform"?
attune.yaml:7:16: error[unknown-name]: "Payments" is neither an alias under projects nor the name of a project of acme that this token may see
  hint: did you mean "payments"?
attune.yaml:8:16: error[unknown-name]: "oncall" is neither an alias under projects nor the name of a project of acme that this token may see
  hint: use a reference to the right kind: it is an alias under teams
attune.yaml:10:22: error[unknown-name]: "nowhere" is neither an alias under agent-pools nor the name of an agent pool of acme that this token may see
  hint: create an agent pool with this name, or declare it by its id under agent-pools: "nowhere: apool-..."
attune.yaml:11:16: error[unknown-name]: "nothing" is neither an alias under ssh-keys nor the name of an SSH key of acme that this token may see
  hint: write "deploy"
attune.yaml:12:26: error[unknown-name]: "team-bb" is neither an alias under teams nor the name of a team of acme that this token may see; Attune does not create teams
  hint: did you mean "team-b"?
`,
    },
    {
      title: 'a name that several things have',
      yaml: `
ssh-keys: {key: {name: deploy}}
workspaces:
  a: {ssh-key: key}
  b: {vcs-repo: {oauth-token-id: GitHub acme}}
`,
      things: {
        'ssh-keys': [
          ['sshkey-2', 'deploy'],
          ['sshkey-1', 'deploy'],
        ],
        'vcs-connections': [
          ['ot-1', 'GitHub acme'],
          ['ot-2', 'GitHub acme'],
        ],
      },
      printed: `
attune.yaml:3:17: error[ambiguous-name]: "deploy" is the name of 2 SSH keys of acme: sshkey-1, sshkey-2
  hint: write its id: "key: sshkey-1"
attune.yaml:6:34: error[ambiguous-name]: "GitHub acme" is the name of 2 VCS connections of acme: ot-1, ot-2
  hint: declare it by its id under vcs-connections: "'GitHub acme': ot-1"
`,
    },
    {
      title: 'names of a service that does not list them, with the alias to write',
      yaml: `
projects: {pay: {name: Payments Platform}}
templates: {base: {project: pay}}
workspaces:
  a: {extends: base}
  b: {extends: base, ssh-key: deploy}
`,
      things: { projects: 'GET /x answered 404', 'ssh-keys': 'GET /y answered 404' },
      printed: `
attune.yaml:3:17: error[no-look-up]: "Payments Platform" is not an id, and no projects can be looked up by name: GET /x answered 404
  hint: write its id: "pay: prj-..."
attune.yaml:7:31: error[no-look-up]: "deploy" is not an id, and no SSH keys can be looked up by name: GET /y answered 404
  hint: declare it by its id under ssh-keys: "deploy: sshkey-..."
`,
    },
    {
      title: 'a project that one alias protects by id and another deletes by name',
      yaml: `
projects:
  one: {id: prj-P, manage: true, protect: true}
  two: {name: payments platform, manage: true, state: absent}
`,
      printed: `
attune.yaml:4:9: error[duplicate-name]: the project "prj-P" is declared twice, also as "two" at attune.yaml:5:3
attune.yaml:5:3: error[duplicate-name]: the project "prj-P" is declared twice, also as "one" at attune.yaml:4:9
`,
    },
    {
      title: 'references by id or by another alias to a project that is deleted by its name',
      yaml: `
projects:
  old: {name: Payments Platform, manage: true, state: absent}
  same: {id: prj-P}
defaults: {workspace: {project: same}}
workspaces: {a: {}, b: {}, c: {project: payments}, d: {state: absent}}
team-access: {prj-P: {SRE: read, Team C: none}}
`,
      printed: `
attune.yaml:6:24: error[reference-to-tombstone]: the project "old" is deleted (state: absent at attune.yaml:4:3) (and 1 more)
attune.yaml:8:23: error[reference-to-tombstone]: the project "old" is deleted (state: absent at attune.yaml:4:3)
`,
    },
  ])('a name that cannot be looked up is an error: $title', async ({ yaml, things = live, printed }) => {
    const failure = await named(yaml, {}, things).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DiagnosticsError);
    expect(`\n${renderDiagnostics((failure as DiagnosticsError).diagnostics)}`).toBe(printed);
  });

  test.each([
    [
      'project.two',
      'projects:\n  one: {name: Payments Platform, manage: true, protect: true}\n  two: {id: prj-P, manage: true, state: absent}\n',
      'the project "prj-P" is declared twice, also as "two" at attune.yaml:5:9',
    ],
    [
      'team-access.prj-P/team-S',
      'team-access:\n  prj-P: {team-S: none}\n  Payments Platform: {SRE: admin}\n',
      'the access of one team to one project is declared twice, also as "Payments Platform/SRE" at attune.yaml:5:23',
    ],
  ])('a run of %s alone finds the other key that declares what it deletes', async (only, yaml, message) => {
    const options = { chosen: (address: string) => address === only };
    const failure = await named(yaml, options).catch((error: unknown) => error);
    expect((failure as DiagnosticsError).diagnostics[0]?.message).toBe(message);
  });

  test('a failing read of names is reported with its own error', async () => {
    const loaded = await configured('workspaces: {a: {project: nowhere}}');
    const failing = lookUpNames(loaded, () => Promise.reject(new Error('cut off')));
    await expect(failing).rejects.toThrow('cut off');
  });
});

describe('a name that the configuration changes', () => {
  /** Root files in separate folders, as they are written and with their names looked up. */
  const rootsOf = (yamls: readonly string[], things = live) =>
    Promise.all(
      yamls.map(async (yaml, index) => {
        const written = { ...(await configured(yaml)), folder: `/acme/${index}` };
        return { written, resolved: await lookUpNames(written, serviceOf(things).namesOf) };
      }),
    );
  const renaming = 'projects: {pay: {name: Billing, manage: true, renamed-from: Payments Platform}}\n';

  test('a reference by the former name of a managed project is a warning at its place', async () => {
    const { configuration } = await named(`
projects:
  pay: {name: Billing, manage: true, renamed-from: Payments Platform}
  old: Payments Platform
  shop: {id: prj-Q, name: shop, manage: true}
workspaces:
  a: {project: payments}
  b: {project: pay}
  c: {project: prj-P}
  d: {project: old}
`);
    expect(renderDiagnostics(configuration.diagnostics)).toBe(
      `attune.yaml:5:8: warning[former-name]: this configuration renames the project "Payments Platform" to "Billing" (attune.yaml:4:3): the next plan does not find it by its former name
  hint: remove this alias and refer to the project as "pay", or write its id: "old: prj-P"
attune.yaml:8:16: warning[former-name]: this configuration renames the project "payments" to "shop" (attune.yaml:6:3): the next plan does not find it by its former name
  hint: refer to it as "shop"
`,
    );
    expect(configuration.aliases.projects.get('old')).toBe('prj-P');
  });

  test('a reference by the former name of a project that another root file manages is a warning at its place', async () => {
    const referring = `
projects: {old: Payments Platform}
workspaces: {b: {project: Payments Platform}, c: {project: old}, d: {project: payments}}
`;
    const roots = await rootsOf([renaming, referring]);
    const [first, second] = withFormerNames(roots, '/acme');
    expect(first?.diagnostics).toEqual([]);
    expect(renderDiagnostics(second?.diagnostics ?? [])).toBe(
      `attune.yaml:3:17: warning[former-name]: another root file renames the project "Payments Platform" to "Billing" (0/attune.yaml:3:12): the next plan does not find it by its former name
  hint: write its id: "old: prj-P"
attune.yaml:4:27: warning[former-name]: another root file renames the project "Payments Platform" to "Billing" (0/attune.yaml:3:12): the next plan does not find it by its former name
  hint: declare it by its id under projects: "'Payments Platform': prj-P"
`,
    );
  });

  test('a reference by an id that could be a name has no warning', async () => {
    const { configuration, asked } = await named(
      'projects: {pay: {id: prj-pay, name: Billing, manage: true}}\nworkspaces: {a: {project: prj-pay}}\n',
      {},
      { projects: [['prj-pay', 'Payments Platform']] },
    );
    expect(asked).toEqual(['projects']);
    expect(configuration.diagnostics).toEqual([]);
  });

  test('a root file has warnings for other root files of its organization only, and keeps the rest as it is', async () => {
    const roots = await rootsOf([
      `${renaming}workspaces: {a: {project: pay}}\n`,
      'workspaces: {a: {project: payments}}\n',
      'projects: {kept: {id: prj-P, manage: true}, gone: {id: prj-Q, manage: true, state: absent}}\n',
    ]);
    const [foreign] = await rootsOf(['workspaces: {a: {project: Payments Platform}}\n']);
    if (foreign === undefined) throw new Error('there is one root file');
    for (const one of [foreign.written, foreign.resolved])
      Object.assign(one, { desired: { ...one.desired, organization: 'other' } });
    roots.push(foreign);
    const noted = withFormerNames(roots, '/acme');
    expect(noted.map((one, index) => one === roots[index]?.resolved)).toEqual([true, true, true, true]);
  });

  test('a root file has one warning for a project that it renames itself', async () => {
    const [root] = await rootsOf([`${renaming}workspaces: {a: {project: Payments Platform}}\n`]);
    if (root === undefined) throw new Error('there is one root file');
    expect(root.resolved.diagnostics.map(({ code }) => code)).toEqual(['former-name']);
    expect(withFormerNames([root], '/acme')).toEqual([root.resolved]);
  });

  test('an alias of a project with a slash in its name is found by its id', async () => {
    const managing = 'projects: {pay: {id: prj-P, name: Billing, manage: true}}\n';
    const aliased = 'projects: {old: Payments/EU}\nworkspaces: {c: {project: old}}\n';
    const roots = await rootsOf([managing, aliased], { projects: [['prj-P', 'Payments/EU']] });
    const [, second] = withFormerNames(roots, '/acme');
    expect(second?.diagnostics.map(({ code }) => code)).toEqual(['former-name']);
  });

  test('an alias and a direct name of a renamed project are found by the id that the look-up gave them', async () => {
    const found = async (
      yaml: string,
      managing = '{id: prj-P, name: Billing, manage: true}',
      options = {},
    ) => {
      const renaming = await configured(`projects: {pay: ${managing}}\n`);
      const manager = { written: renaming, resolved: { ...renaming, folder: '/acme/0' } };
      const written = { ...(await configured(yaml)), folder: '/acme/1' };
      const resolved = await lookUpNames(written, serviceOf(live).namesOf, options);
      const [, second] = withFormerNames([manager, { written, resolved }], '/acme');
      return second?.diagnostics.map(({ code, location }) => [code, location?.line]);
    };
    expect(await found('projects: {old: Payments Platform}\nworkspaces: {c: {project: old}}\n')).toEqual([
      ['former-name', 3],
    ]);
    expect(await found('workspaces: {c: {project: Payments Platform}}\n')).toEqual([['former-name', 3]]);
    expect(await found('workspaces: {c: {project: payments, ssh-key: deploy}}\n')).toEqual([]);
    expect(await found('workspaces: {c: {ssh-key: deploy}}\n')).toEqual([]);
    const direct = 'workspaces: {c: {project: Payments Platform}}\n';
    expect(await found(direct, '{id: prj-P, manage: true}')).toEqual([]);
    expect(await found(direct, '{id: prj-P, name: Payments Platform, manage: true}')).toEqual([]);
    expect(await found(direct, undefined, { chosen: () => false })).toEqual([]);
    expect(await found('projects: {old: {name: Payments Platform, manage: true}}\n')).toEqual([]);
  });
});

describe('a template that selects by project', () => {
  const problems = (yaml: string, options?: QueryOptions, things?: Service) =>
    named(yaml, options, things).then(
      ({ configuration: { diagnostics } }) => renderDiagnostics(diagnostics),
      (error: unknown) => {
        if (error instanceof DiagnosticsError) return renderDiagnostics(error.diagnostics);
        throw error;
      },
    );

  test('a workspace that only the spelling of its project leaves out is an error at when, once for each spelling', async () => {
    const yaml = `
projects: {shop: {name: payments}, pay: prj-P}
templates:
  strict:
    when: {project: Payments Platform, except: old-*}
    auto-apply: false
workspaces:
  a: {project: pay}
  b: {project: Payments Platform}
  c: {project: pay}
  d: {project: prj-P}
  old-e: {project: pay}
  f: {project: shop}
`;
    expect(await problems(yaml)).toBe(
      `attune.yaml:6:5: error[when-project]: the template "strict" does not select workspace.a: it selects by the project "Payments Platform", and the workspace has the same project as "pay"
  hint: use one spelling for both, or declare id and name under one alias of projects: "{id: prj-P, name: Payments Platform}"
attune.yaml:6:5: error[when-project]: the template "strict" does not select workspace.d: it selects by the project "Payments Platform", and the workspace has the same project as "prj-P"
  hint: use one spelling for both, or declare id and name under one alias of projects: "{id: prj-P, name: Payments Platform}"
`,
    );
    expect(await problems(yaml.replace('pay: prj-P', 'pay: {id: prj-P, name: Payments Platform}'))).toBe('');
    expect(await problems(yaml, { chosen: (address) => address === 'workspace.b' })).toBe('');
  });

  test('a name under when alone is looked up only if workspaces have ids', async () => {
    const yaml = (project: string) => `
templates: {strict: {when: {project: [Other, Payments Platform]}, auto-apply: false}}
workspaces: {a: {project: ${project}}}
`;
    expect((await named(yaml('prj-Q'))).asked).toEqual(['projects']);
    expect(await problems(yaml('prj-P'))).toContain('error[when-project]');
    expect((await named('workspaces: {a: {project: prj-P}}')).asked).toEqual([]);
    expect((await named(yaml('prj-P'), { chosen: () => false })).asked).toEqual([]);
    expect(await problems(yaml('prj-P'), {}, { projects: 'it lists no projects' })).toBe('');
  });

  test('names under when are looked up once, and for workspaces with a project only', async () => {
    const yaml = (workspaces: string) =>
      `templates: {strict: {when: {project: [Other, Payments Platform]}, auto-apply: false}}\nworkspaces: {${workspaces}}\n`;
    const { configuration, asked } = await named(yaml('a: {project: prj-Q}, b: {}'));
    expect(asked).toEqual(['projects']);
    const again = serviceOf(live);
    await lookUpNames(configuration, again.namesOf);
    expect(again.asked).toEqual([]);
    expect((await named(yaml('b: {}'))).asked).toEqual([]);
  });

  test('the names of a configuration that no run evaluates are resolved without a check of templates', async () => {
    const configuration = await configured(
      'templates: {strict: {when: {project: Payments Platform}, auto-apply: false}}\nworkspaces: {a: {project: prj-P}}\n',
    );
    const found = new Map([['projects' as const, [{ id: 'prj-P', name: 'Payments Platform' }]]]);
    expect(withFoundNames(configuration, found, []).diagnostics).toEqual([]);
  });

  test('key/value tags of a managed project count for a workspace that has the project by its id', async () => {
    const yaml = `
projects: {pay: {name: Payments Platform, manage: true, tag-bindings: {env: prod}}}
templates: {strict: {when: {tagged: {env: prod}}, auto-apply: false}}
workspaces: {a: {project: prj-P}, b: {project: pay}, c: {project: prj-P, tag-bindings: {env: dev}}}
`;
    expect(await problems(yaml)).toBe(
      `attune.yaml:4:22: error[when-project]: the template "strict" does not select workspace.a: it selects by the project "pay", and the workspace has the same project as "prj-P"
  hint: use one spelling for both, or declare id and name under one alias of projects: "{id: prj-P, name: Payments Platform}"
`,
    );
  });
});
