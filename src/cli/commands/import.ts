import { usageError } from '../../model/attune-error.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { importDocument, importText, namesCheckText } from '../../report/import-document.ts';
import { checkNames } from '../../run/copy-target.ts';
import { type ImportOptions, importLive } from '../../run/import-live.ts';
import { defineCommand } from '../command.ts';
import { type FlagValues, listFlag, optionalArgument, switchFlag, textFlag } from '../flag.ts';
import { connectionFlags, documentFlags, onlyFlag } from '../flags.ts';
import type { Session } from '../session.ts';

const flags = {
  ...documentFlags,
  ...onlyFlag,
  ...connectionFlags,
  out: textFlag('dir', 'output folder, or one .yaml file for everything (default: .)'),
  organization: textFlag('name', "organization (default: the root file's)"),
  project: listFlag('name', 'import only this project, by alias, name or ID (repeatable)'),
  tag: listFlag('tag', 'import only workspaces with all of these tags (repeatable)'),
  name: listFlag('pattern', 'import only workspaces with this name, such as "*-prod" (repeatable)'),
  all: switchFlag('also write values that equal the documented defaults'),
  minimal: switchFlag('write no documented defaults; a manual change of one is then not drift'),
  force: switchFlag('overwrite existing files'),
  update: switchFlag('add missing declarations to existing files and keep the rest unchanged'),
  names: switchFlag('write names instead of ids, wherever the service has them'),
  checkNames: switchFlag('only list names that several objects have: they cannot replace ids'),
  as: textFlag('organization', 'write the files for this organization, with names instead of ids'),
  map: textFlag('file', 'with --as: a file with names in that organization'),
  noScope: switchFlag('write no scope: drift then does not report undeclared workspaces'),
  everything: switchFlag('with --update, also import what is outside the scope of the files'),
};
type ImportFlags = FlagValues<typeof flags>;

export default defineCommand({
  details:
    'Reads the live state and writes a configuration for which the next plan has no changes. A new root file gets a scope with the imported part, so that drift reports what is created there manually. Use the filters to import a part of an organization, and --update to add to an existing configuration.',
  arguments: {
    file: optionalArgument('root file with the organization and the service (default: attune.yaml)'),
  },
  flags,
  examples: [
    'attune import --organization acme --address https://iac.example.com',
    'attune import --organization acme --project "Payments Platform" --out payments',
    'attune import --update',
    'attune import --names --out portable',
  ],
  learnMore: 'docs/guides/import.md',
  run: ({ file }, given, session) => {
    checkFlags(given);
    if (given.checkNames) return reportNames({ file, organization: given.organization }, session);
    const { all, everything, force, minimal, name, noScope, organization, out, project, tag, update } = given;
    const { as, map, names: portable } = given;
    const options: ImportOptions = {
      file,
      organization,
      out,
      projects: project,
      tags: tag,
      names: name,
      everything,
      scope: !noScope,
      portable,
      as,
      map,
      detail: all ? 'all' : minimal ? 'minimal' : 'standard',
      existing: force ? 'overwrite' : update ? 'update' : 'refuse',
    };
    return reportImport(options, session);
  },
});

/** @returns the exit code, which is 1 if a workspace is left out; the files are written in this case, too. */
export async function reportImport(options: ImportOptions, session: Session): Promise<number> {
  const { flags, io, console } = session;
  const result = await importLive(options, session);
  if (flags.format === 'json') io.stdout.write(jsonText(importDocument(result)));
  else {
    console.result(importText(result));
    console.diagnostics(result.diagnostics);
  }
  console.inform(`Next: ${result.planCommand}`);
  return result.omittedWorkspaces > 0 ? 1 : 0;
}

/** @returns the exit code */
async function reportNames(source: Parameters<typeof checkNames>[0], session: Session): Promise<number> {
  const { flags, console } = session;
  const checked = await checkNames(source, session);
  console.result(
    flags.format === 'json' ? jsonText({ format: 'attune.names/1', ...checked }) : namesCheckText(checked),
  );
  return 0;
}

function checkFlags({ all, force, minimal, update }: ImportFlags): void {
  if (force && update) {
    throw usageError(
      '--force cannot be used with --update',
      'use --update to keep existing declarations, or --force to overwrite the files',
    );
  }
  if (all && minimal) {
    throw usageError(
      '--all cannot be used with --minimal',
      'use --all to write every documented default, or --minimal to write none of them',
    );
  }
}
