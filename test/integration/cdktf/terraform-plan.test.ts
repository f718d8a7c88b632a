import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terraformIn, terraformVersion } from '../../../tools/terraform-provider/terraform.ts';
import { everyAttribute, type Offering, offerings, serviceOf } from '../../cdktf/every-attribute.ts';
import { sendTo, workspaceBody } from '../../support/ask.ts';
import { type World, worldWith } from '../../support/attune.ts';

// Where there is no Terraform, export.test.ts still holds the export against the documented arguments.
const describeTerraform = describe.skipIf(terraformVersion === undefined);

describeTerraform('the terraform binary, offline (skipped where it is not installed)', () => {
  test.each([
    [offerings[0], 25],
    [offerings[1], 23],
    [offerings[2], 25],
  ] as const)(
    'terraform imports every resource of an export and changes nothing: %o',
    async (offering, imported) => {
      const world = await appliedWorld(offering);
      await exportInto(world);
      expect(await plannedBy(world)).toEqual({
        changed: [],
        summary: `Plan: ${imported} to import, 0 to add, 0 to change, 0 to destroy.`,
      });
    },
  );

  test('terraform plan shows manual changes of managed settings, and no others', async () => {
    const world = await appliedWorld(offerings[0]);
    await exportInto(world);
    await patch(world, 'network', { description: 'manual' });
    await patch(world, 'untidy', { description: 'by somebody else', 'working-directory': 'elsewhere' });
    const { changed, summary } = await plannedBy(world);
    expect(changed).toEqual(['tfe_workspace.network', 'tfe_workspace_settings.network']);
    expect(summary).toBe('Plan: 25 to import, 0 to add, 2 to change, 0 to destroy.');
  });

  test('terraform plan shares the state of a workspace with live consumers with all', async () => {
    const world = await worldWith(
      'attune: 1\norganization: acme\nservice: {dialect: terraform}\nworkspaces: {app: {global-remote-state: true}}\n',
      {
        dialect: 'terraform',
        seed: { workspaces: { app: { 'remote-state-consumers': ['other'] }, other: {} } },
      },
    );
    await exportInto(world);
    expect(await plannedBy(world)).toEqual({
      changed: ['tfe_workspace_settings.app'],
      summary: 'Plan: 2 to import, 0 to add, 1 to change, 0 to destroy.',
    });
  });

  test('terraform apply makes the changes of attune plan, and the next plans of both are empty', async () => {
    const world = await worldWith(
      `attune: 1
organization: acme
service: {dialect: terraform}
projects: {lab: {name: Lab, manage: true, description: null, tag-bindings: {team: sre}}}
workspaces:
  made: {project: lab, remote-state-consumers: [inherits], tag-bindings: {env: prod}, tags: [a]}
  canceled: {auto-destroy-at: null, trigger-patterns: []}
  inherits: {setting-overwrites: {execution-mode: false}, description: changed, tag-bindings: {env: test}}
`,
      {
        dialect: 'terraform',
        edition: 'self-hosted',
        seed: {
          projects: { Lab: { description: 'words' } },
          workspaces: {
            canceled: { 'auto-destroy-at': '2099-01-02T03:04:05Z', 'trigger-patterns': ['a'] },
            inherits: { 'execution-mode': 'local', description: 'words' },
          },
        },
      },
    );
    await exportInto(world);
    const run = await terraformIn(world.folder, { url: world.service.url, token: 'test-token' });
    const { code, output } = await run('terraform init && terraform apply -auto-approve');
    expect([code, output]).toEqual([0, expect.stringContaining('2 added, 4 changed, 0 destroyed')]);
    expect((await run('terraform plan')).output).toContain('No changes.');
    expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('terraform imports what projects hand down, and changes what differs', async () => {
    const files = (lab: string) => `attune: 1
organization: acme
service: {dialect: terraform}
agent-pools: {onprem: apool-1}
projects:
  lab: {name: Lab, manage: true, ${lab}}
  agents: {name: Agents, manage: true, default-execution-mode: agent, default-agent-pool: onprem}
  plain: {name: Plain, manage: true, default-execution-mode: null}
  own: {name: Own, manage: true}
workspaces: {}
`;
    const seed = {
      'agent-pools': { onprem: 'apool-1' },
      projects: {
        Lab: { 'default-execution-mode': 'local' },
        Agents: { 'default-execution-mode': 'agent', 'default-agent-pool': 'onprem' },
        Plain: {},
        Own: { 'default-execution-mode': 'local' },
      },
    } as const;
    const world = await worldWith(files('default-execution-mode: local'), { dialect: 'terraform', seed });
    await exportInto(world);
    expect(await plannedBy(world)).toEqual({
      changed: [],
      summary: 'Plan: 7 to import, 0 to add, 0 to change, 0 to destroy.',
    });
    await writeFile(join(world.folder, 'attune.yaml'), files('default-execution-mode: null'));
    await exportInto(world);
    expect((await plannedBy(world)).changed).toEqual(['tfe_project_settings.lab']);
  });

  test('terraform plan creates missing objects, also workspaces that read each other', async () => {
    const world = await worldWith(everyAttribute(offerings[0]), serviceOf(offerings[0]));
    await exportInto(world);
    const { changed, summary } = await plannedBy(world);
    expect(changed).toEqual(
      expect.arrayContaining([
        'tfe_workspace_settings.network',
        'tfe_workspace.untidy',
        'tfe_workspace.inherits',
      ]),
    );
    expect(summary).toBe('Plan: 6 to import, 19 to add, 2 to change, 0 to destroy.');
  });
});

/** A service that is as the files declare it. */
async function appliedWorld(offering: Offering): Promise<World> {
  const world = await worldWith(everyAttribute(offering), serviceOf(offering));
  const { code, stdout } = await world.attune('apply', '--yes', '--quiet');
  expect(code, stdout).toBe(0);
  return world;
}

async function exportInto(world: World): Promise<void> {
  const { code, stderr } = await world.attune('export', 'terraform', '--out', '.', '--force');
  expect(code, stderr).toBe(0);
}

async function plannedBy({ folder, service }: World): Promise<{ changed: string[]; summary: string }> {
  const run = await terraformIn(folder, { url: service.url, token: 'test-token' });
  expect((await run('terraform init')).output).toContain('successfully initialized');
  expect((await run('terraform validate')).output).toContain('The configuration is valid');
  const { code, output } = await run('terraform plan');
  expect(code, output).toBe(0);
  return {
    changed: [...output.matchAll(/^ +# (\S+) (?:will be (?!imported)|must be )/gm)].map(
      ([, address]) => address ?? '',
    ),
    summary: /^Plan: .*$/m.exec(output)?.[0] ?? output,
  };
}

async function patch({ service }: World, name: string, attributes: object): Promise<void> {
  await sendTo(service, 'PATCH', `/organizations/acme/workspaces/${name}`, workspaceBody(attributes));
}
