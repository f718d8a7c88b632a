import { basename, dirname, join } from 'node:path';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import type { Configuration } from './configuration.ts';
import { gatherDeclarations } from './declarations.ts';
import { readGrants } from './grants.ts';
import { includedFiles } from './includes.ts';
import type { Loading } from './loading.ts';
import { createProblems } from './problems.ts';
import type { RawFile } from './raw-file.ts';
import { readFile } from './read-file.ts';
import { createReferences } from './references.ts';
import { readSettings } from './settings.ts';
import { createLayers } from './templates.ts';
import { readWorkspaces } from './workspaces.ts';

/** One root file with its includes. */
export interface LoadedRoot {
  /** The absolute path of the root file, and of its folder: locations are relative to the latter. */
  readonly file: string;
  readonly folder: string;
  /** Errors, warnings and notes, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where there are errors. */
  readonly configuration?: Configuration;
}

/** Reads one root file and all that it includes, and reports every problem of all of them. */
export async function loadRoot(file: string): Promise<LoadedRoot> {
  const folder = dirname(file);
  const loading: Loading = { problems: createProblems(), origins: new Map(), sources: [], incomplete: false };
  const root = await readFile(file, { file: basename(file), role: 'root', loading });
  const included: RawFile[] = [];
  for (const path of await includes(root, { file, folder, loading })) {
    const raw = await readFile(join(folder, path), { file: path, role: 'included', loading });
    if (raw) included.push(raw);
  }
  const read = readAll(root ?? {}, included, { folder, loading });
  const diagnostics = loading.problems.diagnostics(loading.sources);
  const { organization } = root ?? {};
  if (organization === undefined || hasErrors(diagnostics)) return { file, folder, diagnostics };
  const { resources, ...rest } = read;
  const desired = {
    organization,
    resources: new Map(resources.map((resource) => [resource.address, resource])),
  };
  return { file, folder, diagnostics, configuration: { file, folder, desired, diagnostics, ...rest } };
}

interface RootContext {
  readonly folder: string;
  readonly loading: Loading;
}

async function includes(
  root: RawFile | undefined,
  { file, folder, loading }: RootContext & { readonly file: string },
): Promise<readonly string[]> {
  if (root && Object.hasOwn(root, 'include') && !root.include) loading.incomplete = true;
  if (!root?.include) return [];
  return includedFiles(root.include, { root: file, folder, ...loading });
}

function readAll(root: RawFile, included: readonly RawFile[], { folder, loading }: RootContext) {
  const declared = gatherDeclarations([root, ...included], loading);
  const references = createReferences(declared.aliases, loading);
  const context = { loading, references };
  const layers = createLayers(root.defaults?.workspace, declared.templates, context);
  const dialect = root.service?.dialect;
  const workspaces = readWorkspaces(declared.workspaces, { ...context, layers, dialect });
  const grants = readGrants(declared.teamAccess, context);
  return {
    resources: [...workspaces, ...grants.resources],
    aliases: references.aliases,
    grantProjects: grants.projects,
    ...readSettings(root, { ...context, folder }),
    lookUps: references.lookUps(),
  };
}
