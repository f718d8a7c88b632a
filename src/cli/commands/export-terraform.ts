import { defineCommand, defineGroup } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { appFlag, connectionFlags, onlyFlag, outputFlags, rootFiles } from '../flags.ts';

const terraform = defineCommand({
  name: 'terraform',
  description: 'export the configuration as Terraform JSON with import blocks',
  details:
    'Writes the declared workspaces and team access as resources of the Terraform provider `hashicorp/tfe`, with an import block for each resource that exists. Settings that the provider does not support are reported.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...outputFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag('folder', 'write ORGANIZATION.tf.json to this folder (default: stdout)'),
    force: switchFlag('overwrite an existing file'),
  },
  examples: [
    'attune export terraform --out infra',
    'attune export terraform --out infra --force --only "workspace.*-prod"',
    'attune export terraform teams/network > network.tf.json',
  ],
  learnMore: 'docs/guides/from-terraform.md',
  report: 'export',
  run: async ({ files }, { out, force }, session) => {
    const { openConnections } = await import('../organizations/connect.ts');
    const { loadOne } = await import('../organizations/load.ts');
    const { exportFile, readExport, writeExport } = await import('../export-terraform.ts');

    const configuration = await loadOne(files, session, {
      message: 'export terraform works on one organization, but the files declare several',
      hint: 'export one root file at a time, each to its own folder',
    });
    const file = await exportFile(configuration, out, force === true, session.io.cwd);
    await using connections = await openConnections([configuration], session);
    const exported = await readExport(configuration, connections, session);
    return await writeExport(configuration, exported, file, session);
  },
});

export const exportTerraform = defineGroup({
  name: 'export',
  description: 'export the configuration for another tool',
  usage: 'terraform [options] [files...]',
  examples: ['attune export terraform --out infra'],
  learnMore: 'docs/guides/from-terraform.md',
  commands: [terraform],
});
