import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalDigest } from '../../src/model/value.ts';
import { attune, type Ran, serviceWith, type World, worldWith } from '../support/attune.ts';

const yaml = `attune: 1
organization: acme
workspaces:
  network: {auto-apply: true, tags: [prod], remote-state-consumers: [app]}
  new: {}
  old: {state: absent}
team-access: {prj-platform: {team-sre: admin}}
limits: {delete-percent: 100}
`;
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre' },
  workspaces: { network: {}, app: {}, old: {} },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

async function planned(): Promise<World> {
  const world = await worldWith(yaml, { seed });
  const { code, stderr } = await world.attune('plan', '--out', 'plan.json');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('Saved as plan.json: attune apply --plan plan.json\n'),
  ]);
  return world;
}

/** Applies the rest of the plan, shows that nothing was asked of the service, and returns what was printed. */
async function refused(world: World, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr }: Ran = await world.attune('apply', '--plan', 'plan.json', '--yes', ...flags);
  expect([code, stdout, world.requests()]).toEqual([1, '', []]);
  return stderr;
}

async function edit(world: World, change: (text: string) => string): Promise<void> {
  const file = join(world.folder, 'plan.json');
  await writeFile(file, change(await readFile(file, 'utf8')));
}

type Document = Record<string, unknown> & { changes: Record<string, unknown>[] };

/** Edits the document; with `digest`, the digest is computed again. */
async function editDocument(
  world: World,
  change: (document: Document) => void,
  digest = false,
): Promise<void> {
  await edit(world, (text) => {
    const document: Document = JSON.parse(text);
    change(document);
    const { digest: _former, ...rest } = document;
    return JSON.stringify(digest ? { ...rest, digest: canonicalDigest(rest) } : document);
  });
}

const changed = `error[bad-plan-file]: plan.json was modified after it was saved: its digest does not match
  hint: save the plan again with \`attune plan --out\`
No changes were made.
`;
const cutOff = `error[bad-plan-file]: plan.json is not a complete plan file: it ends early or is not JSON
  hint: save the plan again with \`attune plan --out\`
No changes were made.
`;
const another = (
  reported: string,
) => `error[bad-plan-file]: plan.json is not a plan file of this version (attune.plan/1): ${reported}
  hint: use a file that \`attune plan --out\` wrote
No changes were made.
`;

describe('a plan file that is not whole is refused', () => {
  test.each([
    ['cut off in the middle', (text: string) => text.slice(0, text.length / 2), cutOff],
    ['cut off before its last bracket', (text: string) => text.trimEnd().slice(0, -1), cutOff],
    ['empty', () => '', cutOff],
    ['not JSON', () => 'Plan: 1 to create', cutOff],
    ['a list', () => '[]', another('it has no format')],
    ['null', () => 'null', another('it has no format')],
    ['another document', () => '{"name": "infrastructure"}', another('it has no format')],
    [
      'a plan of a later version',
      (text: string) => text.replace('attune.plan/1', 'attune.plan/2'),
      another('its format is attune.plan/2'),
    ],
    [
      'a drift report',
      (text: string) => text.replace('attune.plan/1', 'attune.drift/1'),
      another('its format is attune.drift/1'),
    ],
  ])('a plan file that is %s is refused', async (_, change, expected) => {
    const world = await planned();
    await edit(world, change);
    expect(await refused(world)).toBe(expected);
    const shown = await world.attune('show', 'plan.json');
    expect([shown.code, shown.stdout]).toEqual([1, '']);
    expect(shown.stderr).toMatch(/^error\[bad-plan-file\]: plan\.json (is not a|was modified)/);
  });

  test('a plan file that does not exist is an error', async () => {
    const world = await worldWith(yaml, { seed });
    expect(await refused(world)).toBe(`error[bad-plan-file]: plan.json does not exist
  hint: give a file that \`attune plan --out\` or \`attune undo --out\` wrote
No changes were made.
`);
  });

  test('the output of `plan --format json` has no facts, and is refused as a plan file', async () => {
    const world = await planned();
    const { stdout } = await world.attune('plan', '--format', 'json');
    await edit(world, () => stdout);
    expect(await refused(world)).toMatch(
      /^error\[bad-plan-file\]: plan\.json is not a plan that can be applied: .*\n {2}hint: save the plan again with `attune plan --out` of this version of Attune\nNo changes were made\.\n$/,
    );
  });
});

describe('a plan file that was edited is refused', () => {
  test.each<[string, (document: Document) => void]>([
    [
      'its organization',
      (document) => {
        document.organization = 'other';
      },
    ],
    [
      'its address',
      (document) => {
        document.address = 'https://iac.example.com';
      },
    ],
    [
      'its dialect',
      (document) => {
        document.dialect = 'terraform';
      },
    ],
    [
      'its summary',
      (document) => {
        document.summary = { create: 0, update: 0, delete: 0, unchanged: 0, calls: 0 };
      },
    ],
    [
      'a change that is left out',
      (document) => {
        document.changes.pop();
      },
    ],
    [
      'the order of changes',
      (document) => {
        document.changes.reverse();
      },
    ],
    [
      'a call',
      (document) => {
        document.changes[0] = { ...document.changes[0], calls: [] };
      },
    ],
    [
      'a field',
      (document) => {
        document.changes[2] = { ...document.changes[2], fields: [] };
      },
    ],
    [
      'a fact',
      (document) => {
        document.changes[0] = { ...document.changes[0], facts: { exists: true } };
      },
    ],
    [
      'facts that are left out',
      (document) => {
        delete document.changes[0]?.facts;
      },
    ],
    [
      'an id',
      (document) => {
        document.changes[3] = { ...document.changes[3], id: 'ws-other' };
      },
    ],
    [
      'what it depends on',
      (document) => {
        document.changes[2] = { ...document.changes[2], dependsOn: [], action: 'delete' };
      },
    ],
    [
      'its diagnostics',
      (document) => {
        document.diagnostics = [{ severity: 'note', code: 'fine', message: 'fine' }];
      },
    ],
    [
      'what it means',
      (document) => {
        document.effects = { stateAccess: [], moves: [] };
      },
    ],
    [
      'a member more',
      (document) => {
        document.comment = 'looks good';
      },
    ],
    [
      'its digest',
      (document) => {
        document.digest = `sha256:${'0'.repeat(64)}`;
      },
    ],
    [
      'no digest',
      (document) => {
        delete document.digest;
      },
    ],
  ])('a plan file with an edit of %s is refused', async (_, change) => {
    const world = await planned();
    await editDocument(world, change);
    expect(await refused(world)).toBe(changed);
  });

  test('a plan file with one edited letter is refused', async () => {
    const world = await planned();
    await edit(world, (text) => text.replace('"name": "new"', '"name": "now"'));
    expect(await refused(world)).toBe(changed);
  });

  test.each<[string, (document: Document) => void, string]>([
    [
      'a call that is none',
      (document) => {
        document.changes[0] = {
          ...document.changes[0],
          calls: [{ operation: 'addTags', method: 'GET', path: '/' }],
        };
      },
      '/changes/0/calls/0/method',
    ],
    [
      'a call without its operation',
      (document) => {
        document.changes[0] = { ...document.changes[0], calls: [{ method: 'PATCH', path: '/' }] };
      },
      "/changes/0/calls/0 must have required property 'operation'",
    ],
    [
      'a deletion without its mode',
      (document) => {
        const call = { operation: 'deleteWorkspace', method: 'DELETE', path: '/' };
        document.changes[0] = { ...document.changes[0], calls: [call] };
      },
      "/changes/0/calls/0 must have required property 'mode'",
    ],
    [
      'an unknown action',
      (document) => {
        document.changes[0] = { ...document.changes[0], action: 'replace' };
      },
      '/changes/0/action',
    ],
    [
      'no facts',
      (document) => {
        delete document.changes[0]?.facts;
      },
      '/changes/0',
    ],
    [
      'a member more',
      (document) => {
        document.comment = 'x';
      },
      'it',
    ],
  ])('a plan file with a fitting digest and an invalid shape is refused: %s', async (_, change, place) => {
    const world = await planned();
    await editDocument(world, change, true);
    expect(await refused(world)).toContain(
      `error[bad-plan-file]: plan.json is not a plan that can be applied: ${place}`,
    );
  });

  test('a plan file with another layout of its lines is the same plan', async () => {
    const world = await planned();
    await edit(world, (text) => JSON.stringify(JSON.parse(text)));
    const { code } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect(code).toBe(0);
  });
});

describe('a plan for something else is refused', () => {
  const elsewhere = (why: string) => `error[other-plan]: ${why}
  hint: use the organization, address and dialect of the plan, or plan again; no changes were made
No changes were made.
`;

  test('a plan file for another organization is refused', async () => {
    const world = await planned();
    await writeFile(join(world.folder, 'attune.yaml'), 'attune: 1\norganization: other\n');
    expect(await refused(world)).toBe(
      elsewhere('the plan is for organization acme, but the files are for other'),
    );
  });

  test('a plan file for another address is refused', async () => {
    const world = await planned();
    const other = await serviceWith({ seed });
    const argv = ['apply', '--plan', 'plan.json', '--yes', '--address', other.url];
    const { code, stderr } = await attune(argv, { cwd: world.folder, env: { ATTUNE_TOKEN: 'test-token' } });
    expect(code).toBe(1);
    expect(stderr).toBe(elsewhere(`the plan is for ${world.service.url}, but this run uses ${other.url}`));
    expect(other.requests).toEqual([]);
  });

  test('a plan file without configuration files is refused', async () => {
    const world = await planned();
    await rm(join(world.folder, 'attune.yaml'));
    expect(
      await refused(world),
    ).toBe(`error[no-files]: cannot apply plan.json: there are no configuration files to plan it again
  hint: name the root files: attune apply attune.yaml --plan plan.json
No changes were made.
`);
  });

  test('a plan file for another dialect is refused', async () => {
    const world = await planned();
    await writeFile(
      join(world.folder, 'attune.yaml'),
      yaml.replace('workspaces:', 'service: {dialect: terraform}\nworkspaces:'),
    );
    expect(await refused(world)).toBe(
      elsewhere('the plan is in the iac dialect, but the files declare terraform'),
    );
  });

  test('--only is refused with --plan, because a reviewed plan is applied completely', async () => {
    const world = await planned();
    expect(
      await refused(world, '--only', 'workspace.new'),
    ).toBe(`error[usage]: --only cannot be used with --plan: a saved plan is applied as a whole
  hint: give --only to \`attune plan --out\`
No changes were made.
`);
  });

  test('the reasons for a refused plan file are one document with --format json', async () => {
    const world = await planned();
    await edit(world, (text) => text.slice(0, -10));
    const { code, stdout } = await world.attune('apply', '--plan', 'plan.json', '--yes', '--format', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'attune.diagnostics/1',
      diagnostics: [{ severity: 'error', code: 'bad-plan-file' }],
    });
  });
});

describe('files that are handed on hold no token', () => {
  // Long enough to be one.
  const token = 'a-token-that-is-echoed';
  const echoing = {
    organization: 'acme',
    workspaces: { network: { description: `set with ${token}` }, app: { description: token } },
  };
  const files =
    'attune: 1\norganization: acme\nworkspaces: {network: {description: Mine}, app: {auto-apply: true}}\n';

  test('a saved plan has no token, even if the service echoes it, and can be applied', async () => {
    const world = await worldWith(files, { seed: echoing }, { env: { ATTUNE_TOKEN: token } });
    const { code } = await world.attune(
      'plan',
      '--out',
      'plan.json',
      '--report',
      'plan.html',
      '--report',
      'plan.md',
    );
    expect(code).toBe(0);
    for (const file of ['plan.json', 'plan.html', 'plan.md']) {
      expect(await readFile(join(world.folder, file), 'utf8')).not.toContain(token);
    }
    const shown = await world.attune('show', 'plan.json', '--format', 'json');
    expect([shown.code, shown.stdout]).toEqual([0, expect.not.stringContaining(token)]);
    expect((await world.attune('apply', '--plan', 'plan.json', '--yes')).code).toBe(0);
    expect(world.writes()).toHaveLength(2);
  });

  test('a snapshot has no token, even if the service echoes it', async () => {
    const world = await worldWith(files, { seed: echoing }, { env: { ATTUNE_TOKEN: token } });
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    expect(await readFile(join(world.folder, 'live.json'), 'utf8')).not.toContain(token);
    const printed = await world.attune('snapshot');
    expect(printed.stdout + printed.stderr).not.toContain(token);
    expect((await world.attune('plan', '--snapshot', 'live.json')).code).toBe(0);
  });
});
