import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type World, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';
import { rowsIn } from '../support/rows.ts';

const seed = `
organization: acme
projects: {payments: {id: prj-payments}, platform: {id: prj-platform}}
workspaces:
  network-prod:
    {id: ws-network, project: prj-platform, tags: [prod], iac-version: 1.9.5, remote-state-consumers: [billing-prod]}
  billing-prod: {id: ws-billing, project: prj-payments, tags: [prod], locked: true}
`;

const root = (workspaces: string, policies = '') => `
attune: 1
organization: acme
projects: {payments: prj-payments, platform: prj-platform}
workspaces: ${workspaces}
${policies}`;

const world = (files: Readonly<Record<string, string>>): Promise<World> =>
  worldWith(files, { seed: parse(seed) });

/** A file with one policy. */
const policy = (settings: string) => `policies:\n  - {id: some, ${settings}, message: Never.}\n`;

/** A policy on the workspace network-prod. */
const onNetwork = (condition: string) =>
  policy(`on: workspace, when: workspace.name == 'network-prod', require: ${JSON.stringify(condition)}`);

describe('a policy on workspaces', () => {
  test.each(rowsIn<[string, string]>`
- [live values that no file names, "workspace.attributes['iac-version'] == '1.9.5' && workspace.tags == ['prod']"]
- [the project by its alias, workspace.project == 'platform' && workspace.id == 'ws-network']
- [declared values, "workspace.attributes['auto-apply'] && workspace.action == 'update' && !workspace.protect"]
- [nothing else of the service, "!workspace.locked && workspace.sshKey == null"]
`)('a policy on workspaces can use %s', async (_name, condition) => {
    const given = await world({
      'attune.yaml': root('{network-prod: {auto-apply: true}}'),
      'p.yaml': onNetwork(condition),
    });
    const { code, stdout, stderr } = await given.attune('plan', '--policy', 'p.yaml', '--format', 'json');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(documentErrors(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout).policies).toEqual([
      { id: 'some', on: 'workspace', severity: 'error', file: 'p.yaml', checked: 1, violations: 0 },
    ]);
    expect(given.requests()).toEqual(['GET /organizations/acme/workspaces/network-prod']);
  });

  test('a policy on workspaces reads consumers and their projects if its expression uses them', async () => {
    const given = await world({
      'attune.yaml': root('{network-prod: {}}'),
      'p.yaml': onNetwork(
        "workspace.consumers == ['billing-prod'] && workspace.consumerProjects == ['payments']",
      ),
    });
    expect((await given.attune('plan', '--policy', 'p.yaml')).code).toBe(0);
    expect(given.requests()).toEqual([
      'GET /organizations/acme/workspaces?page[size]=100',
      'GET /workspaces/ws-network/relationships/remote-state-consumers?page[size]=100',
    ]);
  });

  test('a policy on workspaces has the documented defaults of a workspace that the plan creates', async () => {
    const given = await world({
      'attune.yaml': root('{new: {global-remote-state: false}}'),
      'p.yaml': policy(
        `on: workspace, require: "!workspace.attributes['auto-apply'] && workspace.tags == [] && workspace.consumers == [] && !has(workspace.id)"`,
      ),
    });
    expect((await given.attune('plan', '--policy', 'p.yaml')).code).toBe(0);
  });

  test('a policy on a default that varies by platform cannot be evaluated for a workspace that the plan creates', async () => {
    const given = await world({
      'attune.yaml': root('{new: {}}'),
      'p.yaml': policy(`on: workspace, require: "!workspace.attributes['global-remote-state']"`),
    });
    const { code, stderr, stdout } = await given.attune('plan', '--policy', 'p.yaml');
    expect([code, stdout + stderr]).toEqual([
      1,
      expect.stringMatching(
        /cannot evaluate policy \S+ for workspace\.new: no such key: global-remote-state/,
      ),
    ]);
  });
});

describe('a policy that applies to nothing', () => {
  const unused = (when: string) =>
    world({
      'attune.yaml': root('{network-prod: {}}'),
      'p.yaml': policy(`on: workspace, when: ${JSON.stringify(when)}, require: "false"`),
    });

  test('a policy that applies to nothing is reported as not applicable, and a wrong name in it as a note', async () => {
    const { attune } = await unused("workspace.project == 'platfrom'");
    const { code, stdout, stderr } = await attune('plan', '--policy', 'p.yaml');
    expect([code, stdout]).toEqual([0, expect.stringContaining(' 1 policy: 0 met, 1 not applicable.')]);
    expect(stderr).toMatch(
      /p\.yaml:2:\d+: note\[policy-not-applicable\]: policy some applies to nothing: its `when` compares with "platfrom", which is not the name of a resource, project, team or tag of the plan\n(.*\n)*? {2}hint: did you mean "platform"\?/,
    );
    const junit = await attune('plan', '--policy', 'p.yaml', '--format', 'junit');
    expect(junit.stdout).toContain('not applicable: its `when` selects nothing');
  });

  test.each([
    "workspace.project == 'payments'",
    "'prod' in workspace.tags && workspace.project in ['payments']",
    "workspace.attributes['execution-mode'] == 'nowhere'",
  ])('a policy that applies to nothing has no note if its names exist: %s', async (when) => {
    const { attune } = await unused(when);
    const { code, stdout, stderr } = await attune('plan', '--policy', 'p.yaml');
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 not applicable')]);
    expect(stderr).not.toContain('policy-not-applicable');
  });
});

describe('--policy', () => {
  test('the hint of a violation names the policy file as the command line does, also for a root file in a folder', async () => {
    const given = await world({
      'teams/network/attune.yaml': root('{network-prod: {auto-apply: true}}'),
      'guards/p.yaml': onNetwork('false'),
    });
    const { stderr } = await given.attune('plan', 'teams/network', '--policy', 'guards/p.yaml');
    expect(stderr).toMatch(/so that it meets the requirement at guards\/p\.yaml:2:\d+\n/);
  });

  test('--policy evaluates a policy that the configuration also has only once', async () => {
    const same = policy('require: "true"');
    const given = await world({
      'attune.yaml': root('{network-prod: {auto-apply: true}}', same),
      'p.yaml': same,
    });
    const { stdout } = await given.attune('plan', '--policy', 'p.yaml');
    expect(stdout).toContain(' 1 policy: 1 met.');
  });

  test('a policy file with errors ends the command before any request', async () => {
    const given = await world({
      'attune.yaml': root('{network-prod: {auto-apply: true}}'),
      'p.yaml': policy('require: nothing'),
    });
    const { code, stderr } = await given.attune(
      'apply',
      '--yes',
      '--policy',
      'p.yaml',
      '--policy',
      'missing.yaml',
    );
    expect(code).toBe(1);
    expect(stderr).toBe(`\
p.yaml:2:25: error[bad-policy]: cannot compile require of policy some: unknown variable: nothing
  2 |   - {id: some, require: nothing, message: Never.}
    |                         ^
  hint: use \`change\`, which is the variable of \`on: change\`
missing.yaml:1:1: error[file-not-found]: missing.yaml does not exist
  hint: name a file with policies
No changes were made.
`);
    expect(given.requests()).toEqual([]);
  });
});

test('a folder for --policy is an error that names it', async () => {
  const { attune: run } = await world({ 'attune.yaml': root('{}') });
  expect((await run('plan', '--policy', '.')).stderr).toBe(
    '.:1:1: error[file-unreadable]: cannot read .: it is a folder\n  hint: name a file in the folder\n',
  );
});

test('apply prints a warning once: before its question', async () => {
  const files = {
    'attune.yaml': root(
      '{network-prod: {auto-apply: true}}',
      policy(`require: "change.action != 'update'", severity: warning`),
    ),
  };
  const given = await worldWith(files, { seed: parse(seed) }, { answer: 'yes' });
  const { code, stderr } = await given.attune('apply');
  expect([code, stderr.match(/warning\[policy\]/g)?.length]).toEqual([0, 1]);
  expect(stderr.indexOf('warning[policy]')).toBeLessThan(stderr.indexOf('Apply 1 change?'));
});

test('undo evaluates the policies on changes of the configuration', async () => {
  const given = await world({
    'attune.yaml': root('{network-prod: {auto-apply: false}}'),
  });
  await given.attune('apply', '--yes', '--no-journal');
  await writeFile(join(given.folder, 'attune.yaml'), root('{network-prod: {auto-apply: true}}'));
  await given.attune('apply', '--yes', '--journal', 'run.jsonl');
  const rule = policy(`require: "change.fields.all(f, f.after != false)"`);
  await writeFile(join(given.folder, 'attune.yaml'), root('{network-prod: {auto-apply: true}}', rule));
  const { code, stderr } = await given.attune('undo', 'run.jsonl', 'attune.yaml', '--yes');
  expect(stderr).toContain('error[policy]: workspace.network-prod violates policy some: Never.');
  expect(code).toBe(1);
  expect(given.writes()).toEqual([]);
});
