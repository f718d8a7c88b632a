import type { Command } from 'commander';
import { addExportFlags } from '../flags.ts';
import { type CommandHost, fileCommand, withExamples } from './host.ts';

/** From files to the files of another tool. */
export function addExportCommands(program: Command, { io, exit }: CommandHost): void {
  const exports = withExamples(
    program
      .command('export')
      .helpCommand(false)
      .usage('terraform [options] [files...]')
      .description('write the desired state for another tool'),
    'attune export terraform --out infra',
  );
  withExamples(
    addExportFlags(
      fileCommand(exports, 'terraform', "write the desired state as Terraform's JSON, with import blocks"),
    )
      .option('--out <folder>', 'write ORGANIZATION.tf.json in this folder (default: stdout)')
      .option('--force', 'write it over the file that is there'),
    'attune export terraform --out infra',
    'attune export terraform --out infra --force --only "workspace.*-prod"',
    'attune export terraform teams/network > network.tf.json',
  ).action(async (files, flags) =>
    exit(await (await import('../export-terraform.ts')).exportTerraform(files, flags, io)),
  );
}
