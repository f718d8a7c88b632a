import {
  attributePaths,
  isAttributePath,
  isUnder,
  nestedAttributes,
  projectPaths,
  workspaceRelations,
} from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { DeclaredLayers } from '../model/fields.ts';
import { asBindingRule, bindingText, type TagBindings } from '../model/list-rule.ts';
import { permissionPaths } from '../model/permissions.ts';
import { type GrantResource, kindOfAddress, type Resource, resourceKinds } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { type EffectiveField, type EntryOrigin, effectiveFields, type Origin } from './effective-fields.ts';

/** The declared values under an address, with the layer, file and line of each value. */
export interface AddressExplanation {
  /**
   * `workspace.<name>`, `project.<alias>`, `team-access.<project>/<team>`, `template.<name>`, `role.<name>` or
   * `defaults`.
   */
  readonly address: string;
  readonly location: SourceLocation;
  /** The templates that it names under `extends`. */
  readonly extends: readonly string[];
  /** The templates that select it with `when`, apart from those that it extends. */
  readonly selected?: readonly string[];
  /** The selector of a template. */
  readonly when?: Value;
  /** The role that a grant names. */
  readonly role?: NonNullable<DeclaredLayers['role']>;
  readonly fields: readonly ExplainedField[];
  /** The workspaces that take a template or the defaults, or the grants that name a role. */
  readonly usedBy?: readonly LayerUse[];
}

/** A value that is declared. The values are as the file has them: aliases and names instead of ids. */
export interface ExplainedField {
  readonly path: string;
  readonly value: Value;
  /** The layer that declares it; `project` for that kind, or `default` for a permission that no line names. */
  readonly layer: string;
  readonly location?: SourceLocation;
  /** What lower layers declare under the same path, the nearest first. */
  readonly overrides: readonly Origin[];
  /** The entries of a list, lowest layer first. */
  readonly entries: readonly ExplainedEntry[];
  /** The key of the same layer, or of a higher one, that makes the value void. */
  readonly voidedBy?: Origin & { readonly path: string };
  /** In a layer of several: how many workspaces, or grants, have the value from this line. */
  readonly effectiveIn?: number;
}

/** An entry of a list, and whether the list of the workspace has it in the end. */
export interface ExplainedEntry extends EntryOrigin {
  readonly isEffective: boolean;
}

/** A workspace that takes a layer, or a grant that names a role. */
export interface LayerUse {
  readonly address: string;
  readonly location: SourceLocation;
  /** The templates between the workspace and the layer; empty if the workspace names it itself. */
  readonly via: readonly string[];
}

/**
 * Explains the declared values under an address, without the service.
 *
 * @throws {AttuneError} if nothing has the address, or no such field exists.
 */
export function explain(configuration: Configuration, address: string, field?: string): AddressExplanation {
  const explanation = explainAddress(configuration, address);
  if (field === undefined) return explanation;
  const fields = explanation.fields.filter(({ path }) => isUnder(path, field));
  if (fields.length === 0 && !isField(explanation.address, field)) throw unknownField(explanation, field);
  return { ...explanation, fields };
}

function explainAddress(configuration: Configuration, address: string): AddressExplanation {
  const layers = configuration.layered.get(address);
  const resource = configuration.desired.resources.get(address);
  if (layers) {
    const { location, extends: templates, selected, when, role } = layers;
    const isLayer = resource === undefined;
    const usedBy = isLayer ? usesOf(configuration, address) : undefined;
    const effectiveIn = usedBy && effectiveUses(configuration, usedBy);
    const fields = effectiveFields(configuration, address)
      .map((field) => explained(field, effectiveIn))
      .sort((a, b) => rank(a.path) - rank(b.path));
    return {
      address,
      location,
      extends: templates,
      ...(selected && { selected }),
      ...(when !== undefined && { when }),
      ...(role && { role }),
      fields:
        resource?.kind === 'team-access' ? [...fields, ...unnamedPermissions(resource, fields)] : fields,
      ...(usedBy && { usedBy }),
    };
  }
  if (resource?.location === undefined) throw unknownAddress(configuration, address);
  const fields = resource.declared?.absent ? tombstoneFields(resource) : ownFields(resource);
  return { address, location: resource.location, extends: [], fields };
}

/** Under `custom`, a permission that no line names has its documented default. */
function unnamedPermissions(
  { attributes, declared }: GrantResource,
  named: readonly ExplainedField[],
): ExplainedField[] {
  if (declared?.absent) return [];
  const values: Values = attributes;
  return permissionPaths
    .filter((path) => values[path] !== undefined && !named.some((field) => field.path === path))
    .map((path) => ({
      path,
      value: values[path] ?? null,
      layer: 'default',
      overrides: [],
      entries: [],
    }));
}

export const workspaceFields: readonly string[] = [
  'project',
  ...attributePaths.flatMap((path) => (path === 'vcs-repo.branch' ? ['vcs-repo', path] : [path])),
  ...workspaceRelations.filter((path) => path !== 'project'),
];

const order: readonly string[] = [...workspaceFields, 'access', ...permissionPaths];

/** Every field of a resource that a file can declare. */
export const knownFields: readonly string[] = [...new Set([...order, ...projectPaths])];

function rank(path: string): number {
  const index = order.indexOf(path);
  return index < 0 ? order.length : index;
}

function explained(
  field: EffectiveField,
  effectiveIn: ((field: EffectiveField) => number) | undefined,
): ExplainedField {
  const { path, value, origin, lower, entries, removedBy } = field;
  return {
    path,
    value: origin.value ?? null,
    layer: origin.layer,
    location: origin.location,
    overrides: entries.length > 0 ? [] : lower,
    entries: entries.map((entry) => ({
      ...entry,
      isEffective: value === undefined || hasEntry(value, entry),
    })),
    ...(removedBy && { voidedBy: removedBy }),
    ...(effectiveIn && { effectiveIn: effectiveIn(field) }),
  };
}

/** Whether a rule has an entry. Its selectors hold ids of projects instead of aliases. */
function hasEntry(rule: Value, { effect, entry }: EntryOrigin): boolean {
  const isIn = (items: readonly unknown[]) => items.some((item) => isSameEntry(item, entry));
  if (!isRecord(rule)) return isIn(entriesIn(rule));
  const { exactly, add, remove } = rule;
  if (effect !== 'remove') return isIn([...entriesIn(exactly), ...entriesIn(add)]);
  // An exact rule has no list of removed entries: they are not in it.
  return exactly === undefined
    ? isIn(entriesIn(remove))
    : !isIn(isRecord(exactly) ? Object.keys(exactly) : entriesIn(exactly));
}

/** The entries of a list, or of key/value tags. */
function entriesIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list;
  if (!isRecord(list)) return [];
  return Object.entries(list as TagBindings).map(([key, value]) => bindingText(key, value));
}

/** Whether an entry of a rule is the one that a file has. Its selectors hold ids of projects instead of aliases. */
function isSameEntry(item: unknown, entry: Value): boolean {
  if (!isRecord(item) || !isRecord(entry)) return item === entry;
  const keys = Object.keys(entry);
  return (
    keys.length === Object.keys(item).length &&
    keys.every((key) => key === 'project' || JSON.stringify(item[key]) === JSON.stringify(entry[key]))
  );
}

/** Counts the workspaces whose value comes from the line that the layer declares or inherits. */
function effectiveUses(
  configuration: Configuration,
  users: readonly LayerUse[],
): (field: EffectiveField) => number {
  const fields = users.map(({ address }) => effectiveFields(configuration, address));
  return ({ path, origin, entries }) => {
    const layers = new Set([origin, ...entries].map(({ layer }) => layer));
    return fields.filter((all) =>
      all.some(
        (field) =>
          field.path === path &&
          field.removedBy === undefined &&
          [field.origin, ...field.entries].some(({ layer }) => layers.has(layer)),
      ),
    ).length;
  };
}

function usesOf({ layered }: Configuration, address: string): LayerUse[] {
  if (address.startsWith('role.')) {
    return [...layered]
      .filter(([user, { role }]) => kindOfAddress(user) === 'team-access' && address === `role.${role?.name}`)
      .map(([user, { location }]) => ({ address: user, location, via: [] }))
      .sort((a, b) => (a.address < b.address ? -1 : 1));
  }
  const template = address.startsWith('template.') ? address.slice('template.'.length) : undefined;
  return [...layered]
    .filter(([user]) => kindOfAddress(user) === 'workspace')
    .flatMap(([user, layers]): LayerUse[] => {
      if (template === undefined) return [{ address: user, location: layers.location, via: [] }];
      if (!layers.templates.includes(template)) return [];
      return [
        {
          address: user,
          location: layers.location,
          via: wayTo(template, [...layers.extends, ...(layers.selected ?? [])], layered),
        },
      ];
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** The templates between a workspace and a template, in the order in which they extend each other. */
function wayTo(
  template: string,
  extended: readonly string[],
  layered: Configuration['layered'],
): readonly string[] {
  if (extended.includes(template)) return [];
  for (const name of extended) {
    const next = layered.get(`template.${name}`);
    if (next?.templates.includes(template)) return [name, ...wayTo(template, next.extends, layered)];
  }
  return [];
}

/** What is deleted or revoked. */
function tombstoneFields({ kind, declared, location }: Resource): ExplainedField[] {
  const about = { layer: kind, ...(location && { location }), overrides: [], entries: [] };
  return [
    { path: 'state', value: 'absent', ...about },
    ...(kind === 'workspace' ? [{ path: 'delete', value: declared?.absent ?? 'safe', ...about }] : []),
  ];
}

/** The fields of a resource without layers. */
function ownFields({ kind, attributes, declared }: Resource): ExplainedField[] {
  const values: Values = attributes;
  return Object.entries(values).map(([path, value]) => {
    const location = declared?.locations?.[path];
    return {
      path,
      value: path === 'tag-bindings' ? writtenRule(value) : value,
      layer: kind,
      ...(location && { location }),
      overrides: [],
      entries: [],
    };
  });
}

/** Key/value tags as the file of a project has them: an exact rule is the mapping itself. */
function writtenRule(value: Value): Value {
  const rule = asBindingRule(value);
  return rule && 'exactly' in rule ? rule.exactly : value;
}

function isField(address: string, path: string): boolean {
  if (kindOfAddress(address) === 'project') return false;
  if (isOfGrants(address)) return path === 'access' || permissionPaths.some((one) => one === path);
  const known: readonly string[] = [...workspaceRelations, ...nestedAttributes, 'protect'];
  return isAttributePath(path) || known.includes(path);
}

function isOfGrants(address: string): boolean {
  return kindOfAddress(address) === 'team-access' || address.startsWith('role.');
}

function unknownField({ address, fields }: AddressExplanation, field: string): AttuneError {
  const known = isOfGrants(address) ? ['access', ...permissionPaths] : [...workspaceFields, 'protect'];
  const near = nearest(field, new Set([...known, ...fields.map(({ path }) => path)]));
  return new AttuneError(`unknown field ${JSON.stringify(field)} of ${address}`, {
    code: 'unknown-name',
    hint:
      near === undefined ? `run \`attune explain ${address}\` to list its fields` : `did you mean ${near}?`,
  });
}

function unknownAddress({ layered, desired }: Configuration, address: string): AttuneError {
  const known = new Set([...desired.resources.keys(), ...layered.keys()]);
  const prefixed = [...resourceKinds, 'template', 'role'].map((kind) => `${kind}.${address}`);
  const kind = address.slice(0, address.indexOf('.') + 1);
  const near =
    prefixed.find((candidate) => known.has(candidate)) ??
    nearest(
      address.slice(kind.length),
      [...known].filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length)),
    );
  return new AttuneError(`unknown address ${JSON.stringify(address)}: the files do not declare it`, {
    code: 'unknown-name',
    hint:
      near === undefined
        ? 'give workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults'
        : `did you mean ${known.has(near) ? near : `${kind}${near}`}?`,
  });
}
