import {
  attributePaths,
  isUnder,
  nestedAttributes,
  projectPaths,
  workspaceRelations,
} from '../model/attributes.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, type SourceLocation } from '../model/diagnostic.ts';
import {
  countingLists,
  type DeclaredLayers,
  type Field,
  type LayerName,
  type WrittenList,
} from '../model/fields.ts';
import { asBindingRule, bindingText, type TagBindings } from '../model/list-rule.ts';
import { permissionPaths } from '../model/permissions.ts';
import { kindOfAddress, type Resource, resourceKinds } from '../model/state.ts';
import { hintAt, nearest, quote } from '../model/text.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';

export interface DeclarationExplanation
  extends Pick<DeclaredLayers, 'location' | 'extends' | 'selected' | 'when' | 'role'> {
  /**
   * `workspace.<name>`, `project.<alias>`, `team-access.<project>/<team>`, `template.<name>`, `role.<name>` or
   * `defaults`.
   */
  readonly address: string;
  readonly fields: readonly ExplainedField[];
  readonly usedBy?: readonly Pick<DeclarationExplanation, 'address' | 'location'>[] | undefined;
}

interface ExplainedField {
  readonly path: string;
  readonly value: Value;
  /** The layer that declares it; `project` for that kind, or `default` for a permission that no line names. */
  readonly layer: string;
  readonly location?: SourceLocation | undefined;
  readonly overrides: readonly Origin[];
  /** The entries of a list, lowest layer first, and whether the list of the workspace has them in the end. */
  readonly entries: readonly (EntryOrigin & { readonly effective: boolean })[];
  /** The key of the same layer, or of a higher one, that makes the value void. */
  readonly voidedBy?: EffectiveField['removedBy'] | undefined;
}

/**
 * Explains the declared values under an address, without the service.
 *
 * @throws {AttuneError} if nothing has the address, or no such field exists.
 */
export function explain(
  configuration: Configuration,
  address: string,
  field?: string,
): DeclarationExplanation {
  const declared = explainAddress(configuration, address);
  const fields = declared.fields.filter(({ path }) => field === undefined || isUnder(path, field));
  if (field !== undefined && fields.length === 0 && !fieldsUnder(address).includes(field))
    throw unknownField(declared, field);
  return { ...declared, fields };
}

function explainAddress(configuration: Configuration, address: string): DeclarationExplanation {
  const layers = configuration.layered.get(address);
  const resource = configuration.desired.resources.get(address);
  if (!layers) {
    if (resource?.location === undefined) throw unknownAddress(configuration, address);
    return { address, location: resource.location, extends: [], fields: ownFields(resource) };
  }
  const { location, extends: templates, selected, when, role } = layers;
  const fields = effectiveFields(configuration, address)
    .map(explained)
    .sort((a, b) => rank(a.path) - rank(b.path));
  return {
    address,
    location,
    extends: templates,
    ...{ selected, when, role },
    fields: resource ? [...fields, ...unnamedPermissions(resource, fields)] : fields,
    usedBy: resource === undefined ? usesOf(configuration, address) : undefined,
  };
}

/** Under `custom`, a permission that no line names has its documented default. */
function unnamedPermissions(grant: Resource, named: readonly ExplainedField[]): ExplainedField[] {
  const { kind, attributes, declared } = grant;
  const values: Values = kind === 'team-access' && !declared?.absent ? attributes : {};
  return permissionPaths.flatMap((path) => {
    const value = values[path];
    if (value === undefined || named.some((field) => field.path === path)) return [];
    return { path, value, layer: 'default', overrides: [], entries: [] };
  });
}

export const workspaceFields: readonly string[] = [
  'project',
  ...attributePaths.flatMap((path) => (path === 'vcs-repo.branch' ? ['vcs-repo', path] : [path])),
  ...workspaceRelations.filter((path) => path !== 'project'),
];
const grantFields: readonly string[] = ['access', ...permissionPaths];
const order = [...workspaceFields, ...grantFields];

export const knownFields: readonly string[] = [...new Set([...order, ...projectPaths])];

function rank(path: string): number {
  const index = order.indexOf(path);
  return index < 0 ? order.length : index;
}

function explained({ path, value, origin, lower, entries, removedBy }: EffectiveField): ExplainedField {
  return {
    path,
    value: origin.value ?? null,
    layer: origin.layer,
    location: origin.location,
    overrides: entries.length > 0 ? [] : lower,
    entries: entries.map((entry) => ({ ...entry, effective: value === undefined || hasEntry(value, entry) })),
    voidedBy: removedBy,
  };
}

/** Whether a rule has an entry. Its selectors hold ids of projects instead of aliases. */
function hasEntry(rule: Value, { effect, entry }: EntryOrigin): boolean {
  const isIn = (items: readonly unknown[]) => items.some((item) => isSameEntry(item, entry));
  if (!isRecord(rule)) return isIn(entriesIn(rule));
  const { exactly, add, remove } = rule;
  if (effect !== 'remove') return isIn([...entriesIn(exactly), ...entriesIn(add)]);
  // An exact rule has no list of removed entries: they are not in it.
  if (exactly === undefined) return isIn(entriesIn(remove));
  return !isIn(isRecord(exactly) ? Object.keys(exactly) : entriesIn(exactly));
}

function entriesIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list;
  if (!isRecord(list)) return [];
  return Object.entries(list as TagBindings).map(([key, value]) => bindingText(key, value));
}

function isSameEntry(item: unknown, entry: Value): boolean {
  if (!isRecord(item) || !isRecord(entry)) return item === entry;
  const keys = Object.keys(entry);
  return (
    keys.length === Object.keys(item).length &&
    keys.every((key) => key === 'project' || JSON.stringify(item[key]) === JSON.stringify(entry[key]))
  );
}

function usesOf({ layered }: Configuration, address: string) {
  const kind = address.startsWith('role.') ? 'team-access' : 'workspace';
  const [, template] = /^template\.(.*)$/s.exec(address) ?? [];
  return [...layered]
    .filter(([user]) => kindOfAddress(user) === kind)
    .filter(([, { role }]) => kind === 'workspace' || address === `role.${role?.name}`)
    .filter(([, { templates }]) => template === undefined || templates.includes(template))
    .map(([user, { location }]) => ({ address: user, location }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

function ownFields({ kind, attributes, declared, location }: Resource): ExplainedField[] {
  const field = (path: string, value: Value, at: SourceLocation | undefined): ExplainedField => ({
    ...{ path, value, layer: kind, location: at, overrides: [], entries: [] },
  });
  const { absent, locations } = declared ?? {};
  if (absent === undefined)
    return Object.entries(attributes as Values).map(([path, value]) => {
      // An exact rule is the mapping itself.
      const rule = path === 'tag-bindings' ? asBindingRule(value) : undefined;
      return field(path, rule && 'exactly' in rule ? rule.exactly : value, locations?.[path]);
    });
  const state = field('state', 'absent', location);
  return kind === 'workspace' ? [state, field('delete', absent, location)] : [state];
}

function fieldsUnder(address: string): readonly string[] {
  const kind = kindOfAddress(address);
  if (kind === 'project') return [];
  if (kind === 'team-access' || address.startsWith('role.')) return grantFields;
  return [...workspaceFields, ...nestedAttributes, 'protect'];
}

function unknownField(
  { address, fields }: Pick<DeclarationExplanation, 'address' | 'fields'>,
  field: string,
): AttuneError {
  const known = [...fieldsUnder(address), ...fields.map(({ path }) => path)];
  const hint = hintAt(field, known, `run \`attune explain ${address}\` to list its fields`);
  return new AttuneError(`unknown field ${quote(field)} of ${address}`, { code: 'unknown-name', hint });
}

function unknownAddress({ layered, desired }: Configuration, address: string): AttuneError {
  const known = new Set([...desired.resources.keys(), ...layered.keys()]);
  const prefixed = [...resourceKinds, 'template', 'role'].map((kind) => `${kind}.${address}`);
  const kind = address.slice(0, address.indexOf('.') + 1);
  const names = [...known].flatMap((one) => (one.startsWith(kind) ? one.slice(kind.length) : []));
  const name = nearest(address.slice(kind.length), names);
  const near = prefixed.find((one) => known.has(one)) ?? (name === undefined ? undefined : `${kind}${name}`);
  const message = `unknown address ${JSON.stringify(address)}: the files do not declare it`;
  const forms =
    'give workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults';
  const hint = near === undefined ? forms : `did you mean ${near}?`;
  return new AttuneError(message, { code: 'unknown-name', hint });
}

/** One declaration of a value: its layer, its location, and the value as the file has it. */
export interface Origin {
  readonly layer: LayerName;
  /** The location of the key. */
  readonly location: SourceLocation;
  readonly value: Value | undefined;
}

/** An entry of a list with its origin. */
export interface EntryOrigin {
  readonly layer: LayerName;
  readonly location: SourceLocation;
  /** The form of the list that holds it: `list` is a plain one. */
  readonly effect: WrittenList['effect'];
  readonly entry: Value;
}

/** A setting of a workspace or a grant with all of its declarations. */
export interface EffectiveField {
  /** An attribute path, a relation, or `protect`. */
  readonly path: string;
  /** As it is compared: ids instead of aliases, lists as rules. Undefined where another key makes the setting void. */
  readonly value: Value | undefined;
  /** The declaration in the highest layer. */
  readonly origin: Origin;
  /** The declarations of lower layers, the nearest first: overridden, or, for a list, merged. */
  readonly lower: readonly Origin[];
  /** The entries of a list in the layers that count, lowest first. Empty for other settings. */
  readonly entries: readonly EntryOrigin[];
  /** The key of the same layer, or of a higher one, that makes the setting void. */
  readonly removedBy?: Origin & { readonly path: string };
}

/**
 * Every setting that the layers of a declared workspace, grant or role name, with the layer, file and line of each
 * declaration. Empty for other addresses.
 *
 * @example
 * ```ts
 * const fields = effectiveFields(configuration, 'workspace.network-prod');
 * const project = fields.find(({ path }) => path === 'project');
 * console.log(project?.origin.layer, project?.origin.location.line); // workspace 8
 * ```
 */
export function effectiveFields(
  { layered, desired }: Pick<Configuration, 'layered' | 'desired'>,
  address: string,
): readonly EffectiveField[] {
  const layers = layered.get(address);
  if (!layers) return [];
  const values = desired.resources.get(address)?.attributes ?? {};
  return [
    ...[...layers.fields].map(([path, field]) =>
      effectiveField(path, field, path === 'protect' ? field.value : values[path]),
    ),
    ...[...layers.removed].map(([path, { field, path: key, by }]) => ({
      ...effectiveField(path, field, undefined),
      removedBy: { path: key, ...originOf(by) },
    })),
  ];
}

function effectiveField(path: string, field: Field, value: Value | undefined): EffectiveField {
  const lower = field.lower ?? [];
  return {
    path,
    value,
    origin: originOf(field),
    lower: lower.map(originOf).reverse(),
    entries: [...countingLists(field)].flatMap(({ field: { layer }, list: { effect, items, locate } }) =>
      items.map((entry, index) => ({ layer, location: locate(index), effect, entry })),
    ),
  };
}

function originOf({ layer, location, raw }: Field): Origin {
  return { layer, location, value: raw };
}
