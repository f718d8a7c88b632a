import { workspaceFields } from '../desired/explain.ts';
import { sameAttribute } from '../diff/fields.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import {
  attributePaths,
  isAttributePath,
  isRepositoryPath,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import type { Configuration, ServiceSettings } from '../model/configuration.ts';
import { noLayers } from '../model/fields.ts';
import type { ImportResult } from '../model/results.ts';
import type { Resource, ResourceKind } from '../model/state.ts';
import {
  groupBy,
  isRecord,
  noneIfEmpty,
  sameValue,
  type Value,
  type Values,
  withoutUndefined,
} from '../model/value.ts';
import type { FileTexts } from './checked-texts.ts';
import { editYaml } from './edit-yaml.ts';
import { type Entry, entryValue, exact, type ImportLabels, type LiveDeclaration, nested } from './entry.ts';
import { printFile } from './yaml-text.ts';

interface NewFiles {
  readonly isNew: true;
  readonly root: string;
  /** The schema for files beside the root file, as editors find it. */
  readonly schema: string;
  readonly organization: string;
  readonly service: ServiceSettings;
  readonly isScoped: boolean;
  readonly isSingle: boolean;
  readonly standing: readonly string[];
}

/** Files that are added to. Existing declarations are kept even if they differ from the live state, and so is every byte. */
interface ExistingFiles extends Pick<NewFiles, 'root' | 'schema'> {
  readonly isNew: false;
  readonly texts: FileTexts;
  readonly configuration: Configuration;
}

export type TargetFiles = NewFiles | ExistingFiles;

export interface WrittenFile {
  readonly name: string;
  readonly text: string;
  readonly workspaces: number;
  readonly grants: number;
  readonly projects: number;
}

interface Additions {
  readonly declarations: readonly LiveDeclaration[];
  readonly aliases: ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;
  readonly scope: ImportResult['scope'];
  /** The keys that a workspace declares whatever it inherits. */
  readonly explicitIn: (entry: Entry) => ReadonlySet<string>;
}

interface LayOutContext {
  readonly files: TargetFiles;
  readonly labels: ImportLabels;
}

interface Placed {
  readonly file: string;
  readonly path: readonly string[];
  readonly value: Value;
}

export function writtenFiles(additions: Additions, context: LayOutContext): WrittenFile[] {
  const { files } = context;
  const byFile = groupBy(placedIn(additions, context), ({ file }) => file);
  const parts = [...byFile.keys()].filter((name) => name !== files.root).sort();
  const names = files.isNew || byFile.has(files.root) ? [files.root, ...parts] : parts;
  return names.map((name) => {
    const placed = byFile.get(name) ?? [];
    const countOf = (section: string) => placed.filter(({ path }) => path[0] === section).length;
    const before = files.isNew ? undefined : files.texts.get(name);
    const head = files.isNew && name === files.root ? rootSections(files, additions.scope, parts) : {};
    const text =
      before === undefined
        ? newText(name, { ...head, ...folded(placed) }, files)
        : added(before, name, placed);
    const projects = placed.filter(
      ({ path, value }) => path[0] === 'projects' && isRecord(value) && value.manage,
    ).length;
    return { name, text, workspaces: countOf('workspaces'), grants: countOf('team-access'), projects };
  });
}

/**
 * The place of each addition. In new files, what all workspaces share is in `defaults` of the root file, and what all of a
 * project share in a template in the file of the project.
 */
function placedIn({ declarations, aliases, explicitIn }: Additions, { files, labels }: LayOutContext) {
  const fileOf = files.isNew ? newPlace(files) : existingPlace(files);
  const ofKind = (kind: ResourceKind) => declarations.filter(({ entry }) => entry.kind === kind);
  const managed = new Map(ofKind('project').map(({ entry }) => [entry.path[1], entryValue(entry)]));
  const workspaces = ofKind('workspace');
  const { fields } = (!files.isNew && files.configuration.layered.get('defaults')) || noLayers;
  const declared: Layer = new Map([...fields].map(([path, { raw = null }]) => [path, raw]));
  const { defaults, templates } = files.isNew
    ? layersOf(workspaces.map(({ entry }) => entry))
    : { defaults: declared, templates: new Map<string, Layer>() };
  const placed: Placed[] = [];
  for (const [kind, ids] of aliases)
    for (const [alias, id] of ids) {
      const value = (kind === 'projects' && managed.get(alias)) || labels.reference(kind, id);
      placed.push({ file: fileOf(kind), path: [kind, alias], value });
    }
  if (files.isNew && defaults.size > 0)
    placed.push({ file: files.root, path: ['defaults', 'workspace'], value: nested(defaults) });
  for (const [project, layer] of templates)
    placed.push({ file: fileOf('workspaces', project), path: ['templates', project], value: nested(layer) });
  for (const { resource, entry } of workspaces) {
    const project = String(entry.values.get('project') ?? '');
    const template = templates.get(project);
    const lines = ownLines(entry, new Map([...defaults, ...(template ?? [])]), explicitIn(entry));
    const file = fileOf('workspaces', project, resource);
    placed.push({ file, path: entry.path, value: template ? { extends: project, ...lines } : lines });
  }
  for (const { resource, entry } of ofKind('team-access')) {
    const file = fileOf('team-access', entry.path[1], resource);
    placed.push({ file, path: entry.path, value: entryValue(entry) });
  }
  return placed;
}

type PlaceOf = (section: string, project?: string, resource?: Resource) => string;

export const projectFolder = 'workspaces';
/** Names of devices on Windows, where no file can have them. */
const reservedName = /^(aux|con|nul|prn|(com|lpt)\d)$/i;

function newPlace({ root, isSingle }: Pick<NewFiles, 'root' | 'isSingle'>): PlaceOf {
  return (section, alias = '') => {
    if (isSingle || (section !== 'workspaces' && section !== 'team-access')) return root;
    // `_` starts no alias, so it cannot conflict with one.
    return `${projectFolder}/${reservedName.test(alias) ? `_${alias}` : alias || '_no-project'}.yaml`;
  };
}

/**
 * Workspaces and grants are added to the first file that declares one of their project, aliases to the first file with others
 * of their kind; else to the root file.
 */
function existingPlace({ configuration, texts, root }: ExistingFiles): PlaceOf {
  const homes = new Map<string, string>();
  // What declares a resource can be a program, which takes no YAML.
  for (const { kind, attributes, location } of configuration.desired.resources.values())
    if (kind !== 'project' && location && texts.has(location.file))
      for (const key of [`${kind} ${attributes.project}`, String(attributes.project)])
        homes.set(key, homes.get(key) ?? location.file);
  return (section, _alias, resource = undefined) => {
    const project = String(resource?.attributes.project);
    if (resource) return homes.get(`${resource.kind} ${project}`) ?? homes.get(project) ?? root;
    const holds = new RegExp(`^["']?${section}["']?:`, 'm');
    return [root, ...texts.keys()].find((file) => holds.test(texts.get(file) ?? '')) ?? root;
  };
}

function rootSections(files: NewFiles, scope: ImportResult['scope'], parts: readonly string[]): Values {
  const { organization, service, isSingle, standing } = files;
  // A pattern, so that later files are included; it must not match an existing file that is not part of the import.
  const isWhole = standing.every((file) => parts.includes(file));
  return withoutUndefined({
    attune: 1,
    organization,
    service: Object.keys(service).length > 0 ? (service as Values) : undefined,
    include: isSingle
      ? undefined
      : noneIfEmpty(isWhole && parts.length > 0 ? [`${projectFolder}/*.yaml`] : parts),
    scope: scope as Values | undefined,
  });
}

function newText(name: string, sections: Values, { root, schema }: Pick<NewFiles, 'root' | 'schema'>) {
  const above = schema.startsWith('.') ? '../'.repeat(name.split('/').length - 1) : '';
  const own = above === '' ? schema : above + schema.replace(/^\.\//, '');
  return printFile(
    sections,
    `yaml-language-server: $schema=${own}${name === root ? '' : '#/$defs/included-file'}`,
  );
}

function folded(placed: readonly Omit<Placed, 'file'>[]): Values {
  return Object.fromEntries(
    [...groupBy(placed, ({ path }) => path[0] ?? '')].map(([key, own]) => {
      const inner = own.map(({ path, value }) => ({ path: path.slice(1), value }));
      return [key, inner[0]?.path.length === 0 ? inner[0].value : folded(inner)];
    }),
  );
}

function added(text: string, file: string, placed: readonly Placed[]): string {
  const byHolder = groupBy(placed, ({ path }) => JSON.stringify(path.slice(0, -1)));
  return [...byHolder.values()].reduce((current, own) => {
    const add = Object.fromEntries(own.map(({ path, value }) => [path.at(-1) ?? '', value]));
    return editYaml(current, { file, path: own[0]?.path.slice(0, -1) ?? [], add });
  }, text);
}

type Layer = ReadonlyMap<string, Value>;

/** Individual settings, which no layer declares even if all workspaces have the same value. */
const particular: ReadonlySet<string> = new Set([
  ...['auto-destroy-at', 'description', 'lock', 'remote-state-consumers', 'source-name', 'source-url'],
  'vcs-repo',
  // Files and templates are by project already.
  'project',
]);

/** Settings that `defaults` may have whatever the value. */
const harmless: ReadonlySet<string> = new Set([
  ...['agent-pool-id', 'execution-mode', 'iac-version', poolFlag, modeFlag, 'tags', 'tag-bindings'],
]);

function layersOf(entries: readonly Entry[]) {
  const defaults = defaultsOf(entries);
  const byProject = groupBy(entries, ({ values }) => String(values.get('project') ?? ''));
  const templates = new Map<string, Layer>();
  for (const [project, own] of [...byProject].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shared = sharedLayer(own, defaults);
    if (project !== '' && shared.size > 0) templates.set(project, new Map([['project', project], ...shared]));
  }
  return { defaults, templates };
}

/**
 * The `defaults` of an import: the documented defaults of the attributes that it always manages, and what all workspaces
 * share. They also apply to workspaces that are declared later. So they never start, apply or destroy runs, share state,
 * or add a key or a repository. A template may do so for the workspaces that extend it.
 */
function defaultsOf(entries: readonly Entry[]): Layer {
  const layer = new Map<string, Value>();
  for (const path of attributePaths) {
    const { alwaysImported, default: usual, defaultDescription } = workspaceAttributes[path];
    const isDeclared = entries.some(({ values }) => values.has(path));
    if (alwaysImported && defaultDescription === undefined && isDeclared) layer.set(path, usual);
  }
  for (const [path, value] of sharedLayer(entries, new Map())) {
    const isDocumented =
      isAttributePath(path) && sameAttribute(path, value, workspaceAttributes[path].default);
    if (!isRepositoryPath(path) && (harmless.has(path) || value === null || isDocumented))
      layer.set(path, value);
  }
  return new Map(
    workspaceFields.flatMap((path) => (layer.has(path) ? [[path, layer.get(path) ?? null]] : [])),
  );
}

function sharedLayer(entries: readonly Entry[], under: Layer): Layer {
  const [first, ...others] = entries;
  const isShared = (path: string, value: Value) =>
    !particular.has(path) && others.every(({ values }) => sameValue(values.get(path), value));
  if (first === undefined || others.length === 0) return new Map();
  return new Map(
    [...first.values]
      .filter(([path, value]) => !first.usual.has(path) && isShared(path, value))
      .map(([path, value]) => [path, exact(path, value)] as const)
      .filter(([path, value]) => !sameValue(under.get(path), value)),
  );
}

function ownLines(entry: Entry, under: Layer, explicit: ReadonlySet<string>): Values {
  const below = new Set([...under.keys(), ...explicit]);
  const hasRepositoryBelow = [...below].some(isRepositoryPath);
  const own = [...entry.values].flatMap(([path, value]): [string, Value][] => {
    const isBelow = below.has(path) || (path === 'vcs-repo' && hasRepositoryBelow);
    const written = isBelow ? exact(path, value) : value;
    const isInherited = isBelow ? sameValue(under.get(path), written) : entry.usual.has(path);
    return isInherited && !explicit.has(path) ? [] : [[path, written]];
  });
  const unmanaged = workspaceFields.filter((path) => entry.unfit.has(path) && below.has(path));
  return unmanaged.length > 0 ? { unmanaged, ...nested(own) } : nested(own);
}
