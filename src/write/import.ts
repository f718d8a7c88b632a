import { hasProject } from '../live/live-query.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import { referencePaths, selectedNamePattern, selectedTagPattern } from '../model/attributes.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, note } from '../model/diagnostic.ts';
import type { ImportResult } from '../model/results.ts';
import type { AttributeSpec } from '../model/rows.ts';
import { findAmong, identity, type ResourceKind } from '../model/state.ts';
import { groupBy, withoutUndefined } from '../model/value.ts';
import { type NamesOf, withFoundNames } from '../resolve/look-up-names.ts';
import { checkedTexts, type FileTexts, type FoundProblems } from './checked-texts.ts';
import { declare } from './declare.ts';
import { type Entry, type ImportLabels, importLabels, type LiveDeclaration } from './entry.ts';
import { type TargetFiles, type WrittenFile, writtenFiles } from './lay-out.ts';
import { isChosen, type OrganizationReading, type Selection } from './read-organization.ts';

interface ImportInput {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  readonly isFull: boolean;
  readonly isPortable: boolean;
  readonly namesOf: NamesOf;
  readonly files: TargetFiles;
}

export interface Imported {
  readonly texts: FileTexts;
  readonly configuration: Configuration;
  readonly files: readonly WrittenFile[];
  readonly scope?: ImportResult['scope'];
  readonly omitted: ReadonlySet<string>;
  /** The addresses that were selected, those that are left out included. */
  readonly selected: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

export async function writeImport(input: ImportInput): Promise<Imported> {
  const { files, selection, namesOf } = input;
  const before = files.isNew ? undefined : files.configuration;
  const reading = before ? undeclaredIn(input.reading, before) : input.reading;
  const existing = before && { ...before, aliases: aliasesByName(before, reading) };
  const labels = importLabels(reading, input.isPortable, existing);
  const resources = [...reading.live.state.resources.values()];
  const found = resources
    .map((resource) => ({ resource, entry: withManaged(declare(resource, labels), input.isFull) }))
    .filter(isSelected(selection, labels))
    .sort((a, b) => (a.entry.address < b.entry.address ? -1 : 1));
  return checkedTexts((problems) => propose(found, problems, { ...input, reading, labels }), {
    ...{ root: files.root, namesOf, live: reading.live, before, isPart: before !== undefined },
    fail: (reason) =>
      new AttuneError(`cannot write files whose plan has no changes: ${reason}`, {
        code: 'not-importable',
        hint: 'choose another folder, or import a part, such as some names; no files were written',
      }),
  });
}

/** Values that equal documented defaults are written, too: all, or those that start, apply or destroy runs, or share state. */
function withManaged(entry: Entry, isFull: boolean): Entry {
  const rows: Readonly<Record<string, AttributeSpec>> =
    entry.kind === 'project' ? projectAttributes : workspaceAttributes;
  const isManaged = (path: string) => rows[path]?.alwaysImported;
  return { ...entry, usual: new Set([...entry.usual].filter((path) => !isFull && !isManaged(path))) };
}

/** Workspaces were selected when they were read. */
function isSelected(selection: Selection, labels: ImportLabels) {
  return ({ resource, entry: { address, path } }: LiveDeclaration): boolean => {
    const { kind, id = '', attributes } = resource;
    if (kind === 'workspace') return true;
    const project = kind === 'project' ? id : attributes.project;
    const isDeclared = labels.isDeclared('projects', path[1] ?? '');
    if (kind === 'project' && (isDeclared || !hasProject(selection, id))) return false;
    const isListed = kind === 'team-access' && selection.grants?.has(identity(resource)[0]);
    return isListed || isChosen(selection, address, project);
  };
}

function propose(
  found: readonly LiveDeclaration[],
  problems: FoundProblems,
  context: ImportInput & { readonly labels: ImportLabels },
) {
  const { labels, selection, files } = context;
  // A template of existing files can select a workspace and give it other values. Then it declares those that differ.
  const isOmitted = ({ kind, address, refusal }: Entry) =>
    refusal !== undefined ||
    (problems.get(address) ?? []).length > (!files.isNew && kind === 'workspace' ? mostCorrections : 0);
  const declarations = found.filter(({ entry }) => !isOmitted(entry));
  const scope = files.isNew && files.isScoped ? scopeOfImport(selection, labels) : undefined;
  const scopeProjects = scope?.projects ? (selection.projects ?? []) : [];
  const aliases = newAliases(declarations, scopeProjects, labels);
  const entries = found.map(({ entry }) => entry);
  const explicitIn = ({ address }: Entry) =>
    new Set((problems.get(address) ?? []).flatMap(({ paths = [] }) => paths));
  const written = writtenFiles({ declarations, aliases, scope, explicitIn }, context);
  const texts = written.map(({ name, text }) => [name, text] as const);
  return {
    texts: new Map(files.isNew ? texts : [...files.texts, ...texts]),
    edited: new Map(declarations.map(({ entry }) => [entry.address, () => true])),
    files: written,
    scope,
    selected: new Set(found.map(({ entry }) => entry.address)),
    omitted: new Set(entries.filter(isOmitted).map(({ address }) => address)),
    diagnostics: leftOut(entries, (entry) =>
      isOmitted(entry) ? (entry.refusal ?? problems.get(entry.address)?.at(-1)?.reason) : undefined,
    ),
  };
}

const mostCorrections = 2;

function newAliases(used: readonly LiveDeclaration[], projects: readonly string[], labels: ImportLabels) {
  const ids: (readonly [AliasKind, string])[] = projects.map((id) => ['projects', id]);
  for (const { resource, entry } of used) {
    if (resource.kind === 'project') ids.push(['projects', resource.id ?? '']);
    for (const [path, kind] of Object.entries(referencePaths)) {
      const id = resource.attributes[path];
      if (kind === undefined || typeof id !== 'string') continue;
      const isKey = entry.kind === 'team-access' && !(kind === 'projects' && labels.grantProject?.(id));
      if (isKey || entry.values.has(path)) ids.push([kind, id]);
    }
  }
  return new Map(
    aliasKinds.map((kind) => {
      const own = ids.flatMap(([of, id]) => (of === kind ? [[labels.of(kind, id) ?? id, id] as const] : []));
      const added = own.filter(([alias]) => !labels.isDeclared(kind, alias));
      return [kind, new Map(added.sort(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}

/**
 * The ownership of a new root file: the part of the organization that was selected, so that drift shows what is created there
 * manually. A selection of addresses has none, and neither has one that a file cannot declare.
 */
function scopeOfImport(selection: Selection, labels: ImportLabels): ImportResult['scope'] {
  const { projects, tags, names, only = [] } = selection;
  const isDeclarable =
    (names ?? []).every((name) => selectedNamePattern.test(name)) &&
    (tags ?? []).every((tag) => selectedTagPattern.test(tag));
  if (only.length > 0 || !isDeclarable) return undefined;
  if (!projects && !tags && !names) return { names: ['*'] };
  return withoutUndefined({ projects: projects?.map((id) => labels.of('projects', id) ?? id), tags, names });
}

/**
 * Without declared resources. Grants are compared by the ids of their projects and teams, because the files may use
 * other aliases; a workspace to be renamed has its new name.
 */
function undeclaredIn(reading: OrganizationReading, { desired }: Configuration): OrganizationReading {
  const { live } = reading;
  const declared = [...desired.resources.values()];
  const declaredAs = findAmong(declared);
  const resources = [...live.state.resources].filter(([, resource]) => !declaredAs(identity(resource)));
  const taken = new Set(live.names.values());
  const renamed = new Map(
    declared.flatMap(({ kind, name, declared }) =>
      kind === 'workspace' && declared?.renamedFrom !== undefined && !taken.has(name)
        ? [[declared.renamedFrom, name] as const]
        : [],
    ),
  );
  const names = new Map([...live.names].map(([id, name]) => [id, renamed.get(name) ?? name]));
  return { ...reading, live: { ...live, names, state: { ...live.state, resources: new Map(resources) } } };
}

/** With the ids of names that only an alias uses: a live object that has such an alias needs no second one. */
function aliasesByName(
  configuration: Configuration,
  { names }: OrganizationReading,
): Configuration['aliases'] {
  const found = new Map(
    [...names].map(([kind, known]) => [kind, [...known].map(([id, name]) => ({ id, name }))]),
  );
  return withFoundNames(configuration, found, []).aliases;
}

/** What becomes of a resource that no file can declare. */
const fates: Readonly<Record<ResourceKind, string>> = {
  project: 'the project is not managed',
  workspace: 'the workspace is left out',
  'team-access': 'the grant is left out',
};

/** Omissions. Each reason is reported once, at the first resource that it concerns. */
function leftOut(entries: readonly Entry[], omissionOf: (entry: Entry) => string | undefined): Diagnostic[] {
  const reasons = entries.flatMap((entry) => {
    const omission = omissionOf(entry);
    const unfit = [...entry.unfit].flatMap(([path, why]) =>
      why === '' ? [] : `${path} is left out: ${why}`,
    );
    const all = omission === undefined ? unfit : [`${fates[entry.kind]}: ${omission}`];
    return all.map((reason) => ({ reason, address: entry.address }));
  });
  return [...groupBy(reasons, ({ reason }) => reason)].map(([reason, found]) => {
    const [first = '', ...others] = [...new Set(found.map(({ address }) => address))];
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return note('left-out', `${first}: ${reason}${more}`, { at: { address: first } });
  });
}
