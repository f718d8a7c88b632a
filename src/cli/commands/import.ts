import { defineCommand } from '../command.ts';
import { listFlag, optionalArgument, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, documentFlags, onlyFlag } from '../flags.ts';
import { importLive } from '../import/import-live.ts';

export default defineCommand({
  details:
    'Reads the live state and writes a configuration for which the next plan has no changes. Use the filters to import a part of an organization, and --update to add to an existing configuration.',
  arguments: {
    file: optionalArgument('root file with the organization and the service (default: attune.yaml)'),
  },
  flags: {
    ...documentFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag(
      'dir',
      'output folder, or a .yaml file that takes everything (default: the current folder)',
    ),
    organization: textFlag('name', "organization (default: the root file's)"),
    project: listFlag(
      'name',
      'import only this project, by alias, name or ID (repeatable: any of the projects)',
    ),
    tag: listFlag('tag', 'import only workspaces with this tag (repeatable: all of the tags)'),
    name: listFlag('pattern', 'import only workspaces with this name; * matches any characters (repeatable)'),
    all: switchFlag('also write values that equal the documented defaults'),
    minimal: switchFlag('write no documented defaults; a manual change of one is then not drift'),
    force: switchFlag('overwrite existing files'),
    update: switchFlag('add missing declarations to existing files and keep the rest unchanged'),
    everything: switchFlag(
      'with --update, also import what is outside a scope of the files that is not enforced',
    ),
  },
  examples: [
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
  ],
  learnMore: 'docs/guides/import.md',
  run: async ({ file }, flags, session) => {
    return importLive(file, flags, session);
  },
});
