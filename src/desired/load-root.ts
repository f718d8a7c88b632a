/*
 * Files become a State, or every problem with its place: a mistake is reported, its value removed, and reading goes on, so that
 * one run shows all of them. A plan is made only of a root file without errors.
 *
 *   source, origins   the text of a file, and where each mapping, key and value of its data is in it
 *   declaration       one key of a section; a root file, its includes and the file of a program are one set of declarations
 *   layer, field      defaults, template, workspace; a field is one value of a layer by its dotted path, with its place
 *   reference         an alias, a name or an id. A name becomes a placeholder, which is looked up before a plan is made
 *
 * text -> read-yaml -> validate, by the schema -> declarations of all files -> references -> layers, one over the other
 *      -> resources, checked by the rules -> conflicts of two resources -> Configuration
 */
import { dirname, join, relative } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, hasErrors, type SourceLocation } from '../model/diagnostic.ts';
import type { DeclaredLayers } from '../model/fields.ts';
import { slashed } from '../model/files.ts';
import type { Receiver } from '../model/rules.ts';
import {
  type ProjectResource,
  type Resource,
  type ResourceKind,
  type ResourceOf,
  resourceKinds,
  resourcesOf,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import { noneIfEmpty, type Values, withoutUndefined } from '../model/value.ts';
import { conflictsOf } from './conflicts.ts';
import { gatherDeclarations, type Settings } from './declarations.ts';
import { includedFiles } from './files/includes.ts';
import { readConfigFile } from './files/read-file.ts';
import { digestOf } from './files/source.ts';
import { type SynthesizedFiles, takeSynthesized } from './files/synthesized.ts';
import { declaredGrants } from './grants.ts';
import { readHoldRules } from './holds/hold-rules.ts';
import { readPolicies } from './policies.ts';
import { createLoading, type Loading, reporter } from './problems.ts';
import { declaredProjects } from './projects.ts';
import { createReferences } from './references.ts';
import type { RawFile } from './schema/language.ts';
import { checkServicePaths, readPlanSettings } from './settings.ts';
import { createLayers } from './templates.ts';
import { declaredWorkspaces } from './workspaces.ts';

/** One root file with its includes. */
export interface LoadedRoot {
  /** The absolute path of the root file, and of its folder: locations are relative to the latter. */
  readonly file: string;
  readonly folder: string;
  /** As the root file names it, even if the rest has errors. */
  readonly organization?: string;
  /** Who gets messages about errors: the valid receivers of the root file. Absent where there are none. */
  readonly receivers?: readonly Receiver[];
  /** All that was read, the root file first; relative to the folder. */
  readonly files: readonly string[];
  /** Errors, warnings and notes, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent where there are errors. */
  readonly configuration?: Configuration;
}

interface RootOptions {
  /** What locations are relative to. @default the folder of the root file */
  readonly folder?: string;
  /** The files that a program wrote. The file of the same organization is read as an included file. */
  readonly synthesized?: SynthesizedFiles;
  readonly digests?: boolean | undefined;
  readonly isProgram?: boolean;
  readonly beforeIncludes?: BeforeIncludes | undefined;
}

export type BeforeIncludes = (root: {
  readonly file: string;
  readonly folder: string;
  readonly patterns: readonly string[];
}) => Promise<void>;

/** Reads one root file and all that it includes, and reports every problem of all of them. */
export async function loadRoot(file: string, options: RootOptions): Promise<LoadedRoot> {
  const { folder = dirname(file), digests = false } = options;
  const loading = createLoading();
  const { root, included } = await readFiles(file, options, { folder, loading });
  const { organization } = root ?? {};
  const { resources, settings, ...rest } = await readAll(root ?? {}, included, { folder, loading });
  const policies = await readPolicies(root ? [root, ...included] : included, loading);
  const desired = {
    organization: organization ?? '',
    resources: new Map(resources.map((resource) => [resource.address, resource])),
  };
  const declared = { file, folder, desired, ...rest };
  loading.problems.add(...(conflictsOf([declared], folder).get(declared) ?? []));
  const diagnostics = loading.problems.diagnostics(loading.sources);
  const loaded = { file, folder, diagnostics, files: loading.sources.map((source) => source.file) };
  if (organization === undefined) return loaded;
  const { notify: receivers = [] } = rest;
  const named = { ...loaded, organization, ...(receivers.length > 0 && { receivers }) };
  if (hasErrors(diagnostics)) return named;
  return {
    ...named,
    configuration: {
      ...declared,
      diagnostics,
      policies: noneIfEmpty(policies),
      settings: writtenSettings(settings, root ? [root, ...included] : included),
      digest: digests ? digestOf(loading.sources.map(({ text }) => text)) : undefined,
    },
  };
}

function writtenSettings({ defaults: _defaults, ...settings }: Settings, files: readonly RawFile[]): Values {
  const policies = files.flatMap((file) => file.policies ?? []);
  const { include } = files[0] ?? {};
  return withoutUndefined({ include, ...settings, policies: noneIfEmpty(policies) }) as unknown as Values;
}

interface RootContext {
  readonly folder: string;
  readonly loading: Loading;
}

/** The root file, with errors or without, and those that it includes, without what cannot be read. */
async function readFiles(
  file: string,
  { synthesized, isProgram = false, beforeIncludes }: RootOptions,
  { folder, loading }: RootContext,
): Promise<{ readonly root: RawFile | undefined; readonly included: readonly RawFile[] }> {
  const read = (path: string, role: 'root' | 'included') =>
    readConfigFile(path, role, { file: slashed(relative(folder, path)), folder, loading });
  const root = await read(file, 'root');
  const { organization } = root ?? {};
  if (root && organization !== undefined) {
    const { atValue, isLiteral } = reporter(loading);
    isLiteral('the organization', organization, atValue(root, 'organization'));
  }
  if (root && Object.hasOwn(root, 'include') && !root.include) loading.incomplete = true;
  const { include: patterns } = root ?? {};
  if (patterns) await beforeIncludes?.({ file, folder, patterns });
  const found = patterns ? await includedFiles(patterns, { root: file, folder, ...loading }) : [];
  const paths = found.map((path) => join(folder, path));
  const program = synthesized && organization !== undefined && takeSynthesized(synthesized, organization);
  if (program) paths.push(program);
  if (root && !isProgram) await checkServicePaths(root, { folder, loading });
  const included: RawFile[] = [];
  for (const path of paths) {
    const raw = await read(path, 'included');
    if (raw) included.push(raw);
    if (raw && path !== program) await checkServicePaths(raw, { folder, loading });
  }
  for (const raw of included) checkOrganization(raw, organization, loading);
  return { root, included };
}

function checkOrganization(included: RawFile, organization: string | undefined, loading: Loading): void {
  const { error, atKey } = reporter(loading);
  const own = included.organization;
  if (own === undefined || organization === undefined || own === organization) return;
  const message = `the program declares organization ${quote(own)}, but the root file declares ${quote(organization)}`;
  const hint = 'use a separate root file for this organization';
  error('other-organization', message, atKey(included, 'organization'), hint);
}

async function readAll(root: RawFile, included: readonly RawFile[], { folder, loading }: RootContext) {
  const { settings, ...declared } = gatherDeclarations([root, ...included], loading);
  const references = createReferences(declared.aliases, loading);
  const projects: ProjectResource[] = [];
  const layered = new Map<string, DeclaredLayers>();
  const dialect = settings.service?.dialect;
  const layers = createLayers(settings.defaults, declared.templates, {
    ...{ loading, references, layered, projects, dialect },
  });
  const grantProjects = new Map<string, string>();
  const grantProjectLocations = new Map<string, SourceLocation>();
  const context = { loading, references, layers, layered, dialect, grantProjects, grantProjectLocations };
  const readers: { readonly [Kind in ResourceKind]: () => readonly ResourceOf<Kind>[] } = {
    project: () => declaredProjects(declared.aliases.projects, context),
    workspace: () => declaredWorkspaces(declared.workspaces, context),
    'team-access': () => declaredGrants(declared, context),
  };
  const resources = resourceKinds.flatMap<Resource>((kind) => {
    const read = readers[kind]();
    projects.push(...resourcesOf(read, 'project'));
    return read;
  });
  const rules = readPlanSettings(settings, { folder, loading, references });
  const holds =
    settings.exceptions || settings.freeze
      ? await readHoldRules(settings, { loading, references })
      : undefined;
  return {
    resources,
    settings,
    aliases: references.aliases,
    layered,
    grantProjects,
    grantProjectLocations,
    ...rules,
    holds,
    lookUps: references.lookUps(),
    ids: references.ids(),
  };
}
