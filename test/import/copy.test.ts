import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/seed/seed.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';

const letters = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index));
const levels = ['read', 'write', 'maintain', 'admin'];

/** Workspaces in 12 projects with 8 teams, and what they refer to. */
const organizationOf = (count: number): OrganizationSeed => {
  const names = Array.from({ length: count }, (_, index) => `app-${String(index).padStart(3, '0')}`);
  return {
    settings: { 'default-project': 'Project a' },
    projects: Object.fromEntries(
      letters.map((letter) => [
        `Project ${letter}`,
        { description: `All of ${letter}`, 'tag-bindings': { part: letter } },
      ]),
    ),
    teams: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`team ${index}`, {}])),
    'ssh-keys': { deploy: {} },
    'agent-pools': { 'On-prem': {} },
    'vcs-connections': { GitHub: {} },
    workspaces: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          project: `Project ${letters[index % 12]}`,
          description: `The app ${index}`,
          tags: index % 3 === 0 ? ['prod', `part-${index % 5}`] : [],
          'tag-bindings': index % 4 === 0 ? { owner: `o${index % 7}` } : {},
          'auto-apply': index % 7 === 0,
          'iac-version': index % 2 === 0 ? '1.9.5' : '1.10.2',
          ...(index % 5 === 0 && { 'execution-mode': 'agent', 'agent-pool-id': 'On-prem' }),
          ...(index % 6 === 0 && { 'vcs-repo': { identifier: `acme/${name}`, 'oauth-token-id': 'GitHub' } }),
          ...(index % 8 === 0 && { 'ssh-key': 'deploy' }),
          ...(index % 9 === 0
            ? { 'global-remote-state': true }
            : {
                'remote-state-consumers': [
                  names[(index + 1) % count] ?? '',
                  names[(index + 17) % count] ?? '',
                ],
              }),
          ...(index % 30 === 0 && { locked: { reason: 'freeze' } }),
        },
      ]),
    ),
    'team-access': Object.fromEntries(
      letters.map((letter, index) => [
        `Project ${letter}`,
        {
          [`team ${index % 8}`]: levels[index % 4] ?? '',
          [`team ${(index + 3) % 8}`]: {
            access: 'custom',
            'workspace-access': { runs: 'plan', locking: true },
          },
        },
      ]),
    ),
  };
};
const large = organizationOf(120);
const few = organizationOf(6);

const objects = (prefix: string) => ({
  settings: { 'default-project': 'Default' },
  projects: { Default: {} },
  teams: Object.fromEntries(Object.keys(few.teams ?? {}).map((name) => [`${prefix}${name}`, {}])),
  'ssh-keys': { deploy: {} },
  'agent-pools': { 'EU pool': {} },
  'vcs-connections': { GitHub: {} },
});

const map = `projects: {"Project *": "EU *"}
teams: {"team *": "eu team *"}
workspaces: {"app-*": "eu-*", app-000: first}
agent-pools: {On-prem: EU pool}
`;

describe('import --as', () => {
  test('a copy of 120 workspaces, 12 projects and 8 teams plans empty after one apply, and the source is only read', async () => {
    const seed = { organizations: { acme: large, 'acme-eu': objects('eu ') } };
    const world = await worldWith({ 'map.yaml': map }, { seed, dialect: 'terraform' });
    const argv = ['import', '--organization', 'acme', '--as', 'acme-eu', '--map', 'map.yaml', '--out', 'eu'];
    const { code, stdout, stderr } = await world.attune(...argv);
    expect([code, stderr]).toEqual([0, 'Next: attune plan eu\n']);
    expect(stdout).toContain('The files are for acme-eu.\n');
    expect(world.writes()).toEqual([]);

    const applied = await world.attune('apply', 'eu', '--yes', '--max-updates', '1000');
    expect(applied.code, applied.stdout.slice(-2000) + applied.stderr).toBe(0);
    expect(applied.stdout).toMatch(/Applied: 156 created, \d+ updated, 0 deleted/);
    expect(world.writes().filter((request) => /organizations\/acme\//.test(request))).toEqual([]);
    const planned = await world.attune('plan', 'eu', '--detailed-exitcode');
    expect([planned.code, planned.stdout.split('\n').slice(0, 4)]).toEqual([
      0,
      [
        `acme-eu  ${world.service.url}`,
        '',
        expect.stringContaining('No changes.'),
        expect.stringContaining('156 unchanged'),
      ],
    ]);
    const shown = await world.attune('workspace', 'show', 'eu-001', '--organization', 'acme-eu');
    expect(shown.stdout).toMatch(/state readable by +eu-002, eu-018\n/);
  });

  test('writes that a state is not shared also with --minimal, because the target may have another default', async () => {
    const shared = { settings: { 'default-project': 'Default', 'global-remote-state': true } };
    const acme = {
      settings: { 'default-project': 'Default' },
      workspaces: { app: { project: 'Default', 'global-remote-state': false } },
    };
    const projects = { Default: {} };
    const world = await worldWith(
      {},
      {
        seed: { organizations: { acme: { ...acme, projects }, 'acme-eu': { ...shared, projects } } },
        dialect: 'terraform',
      },
    );
    const argv = ['import', '--organization', 'acme', '--as', 'acme-eu', '--minimal', '--out', 'eu'];
    expect((await world.attune(...argv)).code).toBe(0);
    const files = ['attune.yaml', 'workspaces/default.yaml'];
    const texts = files.map((name) => readFile(join(world.folder, 'eu', name), 'utf8'));
    expect((await Promise.all(texts)).join('')).toContain('global-remote-state: false');
  });

  test('lists what the target lacks, with a skeleton for the map', async () => {
    const target = { ...objects(''), 'agent-pools': { 'EU pool': {} } };
    const world = await worldWith(
      { 'map.yaml': 'teams: {"team *": "squad *"}\n' },
      { seed: { organizations: { acme: few, 'acme-eu': target } }, dialect: 'terraform' },
    );
    const argv = ['import', '--organization', 'acme', '--as', 'acme-eu', '--map', 'map.yaml', '--out', 'eu'];
    const { code, stdout, stderr } = await world.attune(...argv);
    expect([code, stderr]).toEqual([
      0,
      `warning[target-lacks]: acme-eu lacks 9 objects that the files use: team "squad 0", team "squad 1", team "squad 2", team "squad 3", team "squad 4" and 4 more
  hint: create them there, or map their names to existing ones and import again
Next: attune plan eu
`,
    ]);
    const [, skeleton = ''] = stdout.split('Names that it lacks, for a map:\n\n');
    expect(
      skeleton,
    ).toBe(`teams: # the target has: ${Array.from({ length: 8 }, (_, index) => `team ${index}`).join(', ')}
${Array.from({ length: 8 }, (_, index) => `  team ${index}: # a name in the target\n`).join('')}agent-pools: # the target has: EU pool
  On-prem: # a name in the target
`);
    const filled = skeleton
      .replace(/ {2}(team \d): .*/g, '  $1: $1')
      .replace('On-prem: #', 'On-prem: EU pool #');
    await writeFile(join(world.folder, 'map.yaml'), filled);
    expect((await world.attune(...argv, '--force')).stderr).toBe('Next: attune plan eu\n');
  });

  test('lists workspaces that only lists of consumers name and the target lacks', async () => {
    const acme = {
      settings: { 'default-project': 'Default' },
      projects: { Default: {}, Payments: {} },
      teams: { sre: {} },
      'team-access': { Payments: { sre: 'admin' } },
      workspaces: {
        'network-prod': { project: 'Default' },
        'dns-prod': { project: 'Default' },
        'billing-prod': {
          project: 'Payments',
          'remote-state-consumers': ['network-prod', 'dns-prod', 'ledger-prod'],
        },
        'ledger-prod': { project: 'Payments' },
      },
    };
    const target = {
      settings: { 'default-project': 'Default' },
      projects: { Default: {} },
      teams: { sre: {} },
    };
    const world = await worldWith(
      { 'map.yaml': 'workspaces: {"*-prod": "*-eu"}\n' },
      {
        seed: { organizations: { acme, 'acme-eu': { ...target, workspaces: { 'dns-eu': {}, core: {} } } } },
        dialect: 'terraform',
      },
    );
    const copy = ['import', '--organization', 'acme', '--as', 'acme-eu', '--map', 'map.yaml', '--out', 'eu'];
    const argv = [...copy, '--project', 'Payments'];
    const { code, stdout, stderr } = await world.attune(...argv);
    expect([code, stderr]).toEqual([
      0,
      `warning[target-lacks]: acme-eu lacks 1 object that the files use: workspace "network-eu"
  hint: create them there, or map their names to existing ones and import again
Next: attune plan eu
`,
    ]);
    expect(stdout).toContain(`workspaces: # the target has: core, dns-eu
  network-prod: # a name in the target
`);
    const document = JSON.parse((await world.attune(...argv, '--force', '--format', 'json')).stdout);
    const from = { kind: 'workspaces', alias: 'network-eu', name: 'network-eu', from: 'network-prod' };
    expect(document.copy.lacking).toEqual([from]);

    await writeFile(join(world.folder, 'map.yaml'), 'workspaces: {"*-prod": "*-eu", network-prod: core}\n');
    expect((await world.attune(...argv, '--force')).stderr).toBe('Next: attune plan eu\n');
    expect((await world.attune('apply', 'eu', '--yes')).code).toBe(0);
    expect((await world.attune('plan', 'eu', '--detailed-exitcode')).code).toBe(0);

    const path = '/organizations/acme-eu/workspaces';
    world.service.setFaults([{ kind: 'status', status: 403, method: 'GET', path }]);
    const unlisted = await world.attune(...argv, '--force');
    expect([unlisted.code, unlisted.stderr]).toEqual([
      0,
      expect.stringContaining('warning[target-unread]: acme-eu does not list workspaces to this token'),
    ]);
  });

  test('writes the service of the map, and reads the target there', async () => {
    const source = await serviceWith({ seed: { organizations: { acme: few } }, dialect: 'terraform' });
    const target = await serviceWith({
      seed: { organizations: { 'acme-eu': objects('') } },
      dialect: 'terraform',
    });
    const cwd = await folderWith({
      'map.yaml': `service: {address: ${target.url}, rate: 20}\nagent-pools: {On-prem: EU pool}\n`,
    });
    const env = { ATTUNE_TOKEN: 'test-token', ATTUNE_ADDRESS: source.url };
    const argv = ['import', '--organization', 'acme', '--as', 'acme-eu', '--map', 'map.yaml', '--out', 'eu'];
    const { code, stderr } = await attune(argv, { cwd, env });
    expect([code, stderr]).toEqual([0, 'Next: attune plan eu\n']);
    expect(await readFile(join(cwd, 'eu/attune.yaml'), 'utf8')).toContain(
      `organization: acme-eu\n\nservice: { address: ${target.url}, dialect: terraform, rate: 20 }`.slice(
        0,
        30,
      ),
    );
    expect(target.requests.every(({ method }) => method === 'GET')).toBe(true);
    const applied = await attune(['apply', 'eu', '--yes'], { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
    expect(applied.code, applied.stdout.slice(-1000) + applied.stderr).toBe(0);
    const planned = await attune(['plan', 'eu', '--detailed-exitcode'], {
      cwd,
      env: { ATTUNE_TOKEN: 'test-token' },
    });
    expect(planned.code).toBe(0);
    expect(source.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('a kind that the target does not list is a warning, and the others are compared', async () => {
    const seeds = { acme: few, 'acme-eu': { ...objects(''), 'ssh-keys': {} } };
    const world = await worldWith(
      { 'map.yaml': 'teams: {team 0: squad}\n' },
      { seed: { organizations: seeds }, dialect: 'terraform' },
    );
    const path = '/organizations/acme-eu/agent-pools';
    world.service.setFaults([{ kind: 'status', status: 403, method: 'GET', path }]);
    const argv = ['import', '--organization', 'acme', '--as', 'acme-eu', '--map', 'map.yaml', '--out', 'eu'];
    const { code, stderr } = await world.attune(...argv);
    expect([code, stderr]).toEqual([
      0,
      `warning[target-lacks]: acme-eu lacks 2 objects that the files use: team "squad", SSH key "deploy"
  hint: create them there, or map their names to existing ones and import again
warning[target-unread]: acme-eu does not list agent pools to this token, so those that it lacks are unknown
  hint: give their ids in the new files if \`attune plan\` cannot look up the names
Next: attune plan eu
`,
    ]);
  });

  test('a target that cannot be read is a warning, and the files are written', async () => {
    const world = await worldWith({}, { seed: { organizations: { acme: few } }, dialect: 'terraform' });
    const { code, stderr } = await world.attune(
      'import',
      '--organization',
      'acme',
      '--as',
      'elsewhere',
      '--out',
      'eu',
    );
    expect([code, stderr]).toEqual([
      0,
      `warning[target-unread]: elsewhere could not be read, so what it lacks is unknown: it does not exist, or this token may not list its objects
  hint: run \`attune plan\` on the new files: it reports unknown names
Next: attune plan eu
`,
    ]);
  });
});

const small = {
  organization: 'acme',
  settings: { 'default-project': 'Platform' },
  projects: { Platform: {} },
  teams: { sre: {}, developers: {} },
  'vcs-connections': { '': { id: 'ot-unnamed1' } },
  workspaces: {
    network: {
      'remote-state-consumers': ['billing'],
      'vcs-repo': { identifier: 'a/b', 'oauth-token-id': '' },
    },
    billing: {},
  },
  'team-access': { Platform: { sre: 'admin', developers: 'read' } },
};

async function copied(
  text: string,
  seed: object = { ...small, 'vcs-connections': {}, workspaces: { network: {}, billing: {} } },
) {
  const world: World = await worldWith({ 'map.yaml': text }, { seed: seed as never });
  const argv = ['import', '--organization', 'acme', '--as', 'eu', '--map', 'map.yaml', '--out', 'eu'];
  const ran = await world.attune(...argv);
  return { ...ran, world };
}

describe('a map', () => {
  test.each<[string, string, string]>([
    [
      'team: {sre: a}\n',
      'unknown-key]: unknown key "team" in a map\n  1 | team: {sre: a}\n    | ^\n  hint: did you mean "teams"?',
      '1:1',
    ],
    [
      'teams: {srr: a}\n',
      'map-nothing]: teams: "srr" matches nothing that the files use\n  1 | teams: {srr: a}\n    |         ^\n  hint: did you mean "sre"?',
      '1:9',
    ],
    [
      'workspaces:\n  "app-*": "x-*"\n',
      'map-nothing]: workspaces: "app-*" matches nothing that the files use\n  2 |   "app-*": "x-*"\n    |   ^\n  hint: remove the line, or correct the name',
      '2:3',
    ],
    [
      'teams:\n  sre: one\n  developers: one\n',
      'mapped-twice]: teams: both "developers" and "sre" would be called "one" in the target\n  2 |   sre: one\n    |        ^\n  hint: map them to different names',
      '2:8',
    ],
    [
      'workspaces: {network: billing}\n',
      'mapped-twice]: workspaces: both "network" and "billing" would be called "billing" in the target\n  1 | workspaces: {network: billing}\n    |                       ^\n  hint: map them to different names',
      '1:23',
    ],
    [
      'workspaces: {network: "a b"}\n',
      'bad-value]: "network" cannot be mapped to "a b": it is not the name of a workspace\n  1 | workspaces: {network: "a b"}\n    |                       ^\n  hint: write one name, or a pattern with one * on both sides',
      '1:23',
    ],
    [
      'teams: {sre: "*"}\n',
      'bad-value]: "sre" cannot be mapped to "*": only a pattern can be mapped to a pattern\n  1 | teams: {sre: "*"}\n    |              ^\n  hint: write one name, or a pattern with one * on both sides',
      '1:14',
    ],
    [
      'teams: {"*r*": x}\n',
      'bad-value]: "*r*" cannot be mapped to "x": a pattern has one *\n  1 | teams: {"*r*": x}\n    |                ^\n  hint: write one name, or a pattern with one * on both sides',
      '1:16',
    ],
    [
      'teams: {sre: 1}\n',
      'bad-value]: "sre" cannot be mapped to 1: it is not text\n  1 | teams: {sre: 1}\n    |              ^\n  hint: write one name, or a pattern with one * on both sides',
      '1:14',
    ],
    [
      'teams: {sre: ""}\n',
      'bad-value]: "sre" cannot be mapped to "": it is empty\n  1 | teams: {sre: ""}\n    |              ^\n  hint: write one name, or a pattern with one * on both sides',
      '1:14',
    ],
    [
      'teams: {sre: *x}\n',
      'unknown-anchor]: unknown anchor &x: it is not defined before this line\n  1 | teams: {sre: *x}\n    |              ^\n  hint: define &x earlier in the same file',
      '1:14',
    ],
    [
      'teams: *x\n',
      'unknown-anchor]: unknown anchor &x: it is not defined before this line\n  1 | teams: *x\n    |        ^\n  hint: define &x earlier in the same file',
      '1:8',
    ],
    [
      'teams: sre\n',
      'wrong-type]: "teams" must be a mapping\n  1 | teams: sre\n    |        ^\n  hint: write the names of the source and, after a colon, those of the target',
      '1:8',
    ],
    [
      'service: {adress: https://iac.example.com}\n',
      'unknown-key]: unknown key "adress" in "service"\n  1 | service: {adress: https://iac.example.com}\n    |           ^\n  hint: did you mean "address"?',
      '1:11',
    ],
    [
      '- teams\n',
      'wrong-type]: the file must contain a mapping\n  1 | - teams\n    | ^\n  hint: add one of the sections projects, teams, workspaces, ssh-keys, agent-pools, vcs',
      '1:1',
    ],
  ])('with a mistake is an error at its place: %j', async (text, message, at) => {
    const { code, stdout, stderr, world } = await copied(text);
    expect([code, stdout, stderr]).toEqual([1, '', `map.yaml:${at}: error[${message}\n`]);
    expect(world.writes()).toEqual([]);
    await expect(readFile(join(world.folder, 'eu/attune.yaml'))).rejects.toThrow('ENOENT');
  });

  test('that makes the service of the files invalid is an error', async () => {
    const { code, stderr } = await copied('service: {rate: fast}\n');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('error[not-portable]: cannot write valid files with this map: "rate" must be'),
    ]);
  });

  test('that does not exist, or is given without --as, is an error', async () => {
    const world = await worldWith({}, { seed: small });
    const missing = await world.attune(
      'import',
      '--organization',
      'acme',
      '--as',
      'eu',
      '--map',
      'no.yaml',
      '--out',
      'eu',
    );
    expect(missing.stderr).toBe(
      'no.yaml:1:1: error[file-not-found]: no.yaml does not exist\n  hint: name a file with names of the other organization\n',
    );
    const alone = await world.attune('import', '--organization', 'acme', '--map', 'no.yaml', '--out', 'eu');
    expect(alone.stderr).toBe(
      'error[usage]: --map cannot be used without --as\n  hint: add --as with the organization that the files are for\n',
    );
    await mkdir(join(world.folder, 'eu'));
    const update = await world.attune(
      'import',
      '--organization',
      'acme',
      '--as',
      'eu',
      '--update',
      '--out',
      'eu',
    );
    expect(update.stderr).toBe(
      'error[usage]: --as cannot be used with --update\n  hint: choose a new folder with --out\n',
    );
  });

  test('keeps the text that * matches, also dollar signs', async () => {
    const { code, stderr, world } = await copied('teams: {"*": "EU *"}\n', {
      ...small,
      'vcs-connections': {},
      teams: { $$sre: {} },
      workspaces: {},
      'team-access': { Platform: { $$sre: 'admin' } },
    });
    expect(code, stderr).toBe(0);
    expect(await readFile(join(world.folder, 'eu/attune.yaml'), 'utf8')).toContain('EU $$sre');
  });

  test('maps workspaces by their ids, also consumers whose names no file can have', async () => {
    const odd = 'ws-isAnIdToAllReader';
    const ids = { network: 'ws-quA5TwBZuoVcr3Ts', odd: 'ws-odd5TwBZuoVcr3Ts' };
    const { code, stderr, world } = await copied(`workspaces: {${ids.network}: core, ${ids.odd}: even}\n`, {
      ...small,
      'vcs-connections': {},
      workspaces: {
        network: { id: ids.network },
        billing: { 'remote-state-consumers': ['network', odd] },
        [odd]: { id: ids.odd },
      },
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('without workspaces that have no name')]);
    const text = await readFile(join(world.folder, 'eu/workspaces/platform.yaml'), 'utf8');
    expect(text).toContain('remote-state-consumers: [core, even]');
    expect(text).toMatch(/^ {2}core:$/m);
  });

  test('has to name objects that have no name in the source', async () => {
    const nameless = await copied('teams: {sre: ops}\n', small);
    expect([nameless.code, nameless.stderr]).toEqual([
      1,
      `error[not-portable]: the VCS connection vcs-connection-unnamed1 (ot-unnamed1) has no name that only it has, so eu cannot have the same
  hint: add \`ot-unnamed1: NAME\` under vcs in the map, with its name in eu
`,
    ]);
    const mapped = await copied('vcs: {ot-unnamed1: GitHub EU}\n', small);
    expect(mapped.code, mapped.stderr).toBe(0);
    expect(await readFile(join(mapped.world.folder, 'eu/attune.yaml'), 'utf8')).toContain('name: GitHub EU');
  });
});
