import { defineCommand, defineGroup } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { appFlag, connectionFlags, onlyFlag, outputFlags, rootFiles } from '../flags.ts';

const terraform = defineCommand({
  name: 'terraform',
  description: "write the desired state as Terraform's JSON, with import blocks",
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...outputFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag('folder', 'write ORGANIZATION.tf.json in this folder (default: stdout)'),
    force: switchFlag('write it over the file that is there'),
  },
  examples: [
    'attune export terraform --out infra',
    'attune export terraform --out infra --force --only "workspace.*-prod"',
    'attune export terraform teams/network > network.tf.json',
  ],
  report: 'plan',
  run: async ({ files }, { out, force }, session) => {
    const { openConnections } = await import('../organizations/connect.ts');
    const { loadOne } = await import('../organizations/load.ts');
    const { exportFile, readExport, writeExport } = await import('../export-terraform.ts');

    const configuration = await loadOne(files, session, {
      message: 'an export is of one organization',
      hint: 'give one root file at a time, and each a folder of its own',
    });
    const file = await exportFile(configuration, out, force === true, session.io.cwd);
    await using connections = await openConnections([configuration], session);
    const exported = await readExport(configuration, connections, session);
    return await writeExport(configuration, exported, file, session);
  },
});

export const exportTerraform = defineGroup({
  name: 'export',
  description: 'write the desired state for another tool',
  usage: 'terraform [options] [files...]',
  examples: ['attune export terraform --out infra'],
  commands: [terraform],
});
