import type { ImportResult } from '../../model/results.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { importDocument, importText } from '../../report/results.ts';
import type { ImportOptions } from '../../run/import-files.ts';
import { importLive } from '../../run/import-live.ts';
import { defineCommand, optionalArgument } from '../command.ts';
import { connectionFlags, documentFlags, listFlag, onlyFlag, switchFlag, textFlag } from '../flags.ts';
import type { Session } from '../session.ts';

export default defineCommand({
  details:
    'Reads the live state and writes a configuration for which the next plan has no changes. A new root file gets a scope with the imported part, so that drift reports what is created there manually. Use the filters to import a part of an organization, and --update to add to an existing configuration.',
  arguments: {
    file: optionalArgument('root file with the organization and the service (default: attune.yaml)'),
  },
  flags: {
    ...documentFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag('dir', 'output folder, or one .yaml file for everything (default: .)'),
    organization: textFlag('name', "organization (default: the root file's)"),
    project: listFlag('name', 'import only this project, by alias, name or ID (repeatable)'),
    tag: listFlag('tag', 'import only workspaces with all of these tags (repeatable)'),
    name: listFlag('pattern', 'import only workspaces with this name, such as "*-prod" (repeatable)'),
    full: switchFlag('also write all values that equal the documented defaults'),
    force: switchFlag('overwrite existing files'),
    update: switchFlag('add missing declarations to existing files and keep the rest unchanged'),
    names: switchFlag('write names instead of ids, wherever the service has them'),
    noScope: switchFlag('write no scope: drift then does not report undeclared workspaces'),
  },
  conflicts: [
    ['force', 'update', 'use --update to keep existing declarations, or --force to overwrite the files'],
  ],
  examples: [
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
    'attune import --names --out portable',
  ],
  learnMore: 'docs/guides/import.md',
  run: async ({ file }, given, session) => {
    const { force, full, name, noScope, organization, out, project, tag, update } = given;
    const options: ImportOptions = {
      file,
      organization,
      out,
      projects: project,
      tags: tag,
      names: name,
      scope: !noScope,
      portable: given.names,
      full,
      existing: force ? 'overwrite' : update ? 'update' : 'refuse',
    };
    const { planCommand, omittedWorkspaces } = await reportImport(options, session);
    session.console.inform(`Next: ${planCommand}`);
    // The files are written in this case, too.
    return omittedWorkspaces > 0 ? 1 : 0;
  },
});

export async function reportImport(options: ImportOptions, session: Session): Promise<ImportResult> {
  const { flags, io, console } = session;
  const result = await importLive(options, session);
  if (flags.format === 'json') io.stdout.write(jsonText(importDocument(result)));
  else {
    console.text(importText(result));
    console.diagnostics(result.diagnostics);
  }
  return result;
}
