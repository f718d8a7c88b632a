import { counted, shellWord } from '../../model/text.ts';
import { placedDiagnostics } from '../../report/text/diagnostics-text.ts';
import { exportTerraform } from '../../run/export-terraform.ts';
import { defineCommand, defineGroup, rootFiles } from '../command.ts';
import { emit } from '../emit.ts';
import { appFlag, connectionFlags, onlyFlag, outputFlags, switchFlag, textFlag } from '../flags.ts';

const terraform = defineCommand({
  details:
    'Writes the declared workspaces and team access as resources of the Terraform provider `hashicorp/tfe`, with an import block for each resource that exists. Settings that the provider does not support are reported.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...outputFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag('dir', 'write ORGANIZATION.tf.json to this folder (default: stdout)'),
    force: switchFlag('overwrite an existing file'),
  },
  examples: [
    'attune export terraform --out infra',
    'attune export terraform --out infra --force --only "workspace.*-prod"',
    'attune export terraform teams/network > network.tf.json',
  ],
  learnMore: 'docs/guides/from-terraform.md',
  // Without --out, text on stdout is the file of the export, and no report is written.
  report: ({ format, out, report }) => (format !== 'text' || (out && report) ? 'validate' : undefined),
  run: async ({ files }, { out, force }, session) => {
    const { console } = session;
    const { entry, text, organization, file, resources, imported } = await exportTerraform(
      files,
      { out, force },
      session,
    );
    // With a file, the result on stdout is what Terraform cannot declare; without one, it is the export itself.
    if (out !== undefined) await emit(session, { kind: 'validate', entries: [entry] });
    else {
      console.result(text);
      console.diagnostics(placedDiagnostics([entry]));
    }
    const where = file === undefined ? '' : ` written to ${file}`;
    console.inform(
      `${organization}: ${counted(resources, 'resource')}${where}, ${imported} with an import block.`,
    );
    if (out !== undefined) {
      const change = out === '.' ? '' : `cd ${shellWord(out)} && `;
      console.inform(`Next, with TFE_HOSTNAME and TFE_TOKEN set: ${change}terraform init && terraform plan`);
    }
    return 0;
  },
});

export default defineGroup({
  examples: ['attune export terraform --out infra'],
  learnMore: 'docs/guides/from-terraform.md',
  commands: {
    terraform: {
      description: 'export the configuration as Terraform JSON with import blocks',
      command: terraform,
    },
  },
});
