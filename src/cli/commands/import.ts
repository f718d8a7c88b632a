import { defineCommand } from '../command.ts';
import { listFlag, optionalArgument, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, documentFlags, onlyFlag } from '../flags.ts';

export const importCommand = defineCommand({
  name: 'import',
  description: 'write YAML for what is live, so that the next plan is empty',
  arguments: {
    file: optionalArgument('a root file that tells the organization and the service (default: attune.yaml)'),
  },
  flags: {
    ...documentFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag(
      'dir',
      'where to: a folder for files by project, or a .yaml file for all in one (default: here)',
    ),
    organization: textFlag('name', 'the organization (default: that of the file)'),
    project: listFlag('name', 'only of this project, by name or id (repeatable: of any)'),
    tag: listFlag('tag', 'only workspaces with this tag (repeatable: with all)'),
    name: listFlag('pattern', 'only workspaces of this name, with * (repeatable: of any)'),
    all: switchFlag("values that equal the service's documented defaults, too"),
    force: switchFlag('overwrite files that are there'),
    update: switchFlag('add what is missing to files that are there, and keep the rest as it is'),
  },
  examples: [
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
  ],
  run: async ({ file }, flags, session) => {
    const { importLive } = await import('../import/import-live.ts');
    return importLive(file, flags, session);
  },
});
