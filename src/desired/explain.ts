import {
  attributePaths,
  isAttributePath,
  nestedAttributes,
  workspaceRelations,
} from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { permissionPaths } from '../model/permissions.ts';
import { projectPaths } from '../model/project-attributes.ts';
import { type Resource, type ResourceKind, resourceKinds } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import type { Configuration } from './configuration.ts';
import { type EffectiveField, type EntryOrigin, effectiveFields, type Origin } from './effective-fields.ts';

/** The declared values under an address, with the layer, file and line of each value. */
export interface Explanation {
  /** `workspace.<name>`, `project.<alias>`, `team-access.<project>/<team>`, `template.<name>` or `defaults`. */
  readonly address: string;
  readonly location: SourceLocation;
  /** The templates that it names under `extends`. */
  readonly extends: readonly string[];
  readonly fields: readonly ExplainedField[];
  /** The workspaces that take a template or the defaults. */
  readonly usedBy?: readonly LayerUse[];
}

/** A value that is declared. The values are as the file has them: aliases and names instead of ids. */
export interface ExplainedField {
  readonly path: string;
  readonly value: Value;
  /** The layer that declares it; `grant` or `project` for these kinds, or `default` for a permission that no line names. */
  readonly layer: string;
  readonly location?: SourceLocation;
  /** What lower layers declare under the same path, the nearest first. */
  readonly overrides: readonly Origin[];
  /** The entries of a list, lowest layer first. */
  readonly entries: readonly ExplainedEntry[];
  /** The key of a higher layer that makes the value void. */
  readonly voidedBy?: Origin & { readonly path: string };
  /** In the defaults or a template: how many workspaces have the value from this line. */
  readonly effectiveIn?: number;
}

/** An entry of a list, and whether the list of the workspace has it in the end. */
export interface ExplainedEntry extends EntryOrigin {
  readonly isEffective: boolean;
}

/** A workspace that takes a layer. */
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
export function explain(configuration: Configuration, address: string, field?: string): Explanation {
  const explanation = explainAddress(configuration, address);
  if (field === undefined) return explanation;
  const fields = explanation.fields.filter(({ path }) => path === field || path.startsWith(`${field}.`));
  if (fields.length === 0 && !isField(explanation.address, field)) throw unknownField(explanation, field);
  return { ...explanation, fields };
}

function explainAddress(configuration: Configuration, address: string): Explanation {
  const layers = configuration.layered.get(address);
  const resource = configuration.desired.resources.get(address);
  if (layers) {
    const { location, extends: templates } = layers;
    const isLayer = resource === undefined;
    const usedBy = isLayer ? usesOf(configuration, address) : undefined;
    const effectiveIn = usedBy && effectiveUses(configuration, usedBy);
    const fields = effectiveFields(configuration, address)
      .map((field) => explained(field, effectiveIn))
      .sort((a, b) => rank(a.path) - rank(b.path));
    return { address, location, extends: templates, fields, ...(usedBy && { usedBy }) };
  }
  if (resource?.location === undefined) throw unknownAddress(configuration, address);
  const fields = resource.declared?.absent ? tombstoneFields(resource) : ownFields(resource);
  return { address, location: resource.location, extends: [], fields };
}

const order: readonly string[] = [
  'project',
  ...attributePaths.flatMap((path) => (path === 'vcs-repo.branch' ? ['vcs-repo', path] : [path])),
  ...workspaceRelations.filter((path) => path !== 'project'),
];

/** Every field of a resource that a file can declare. */
export const knownFields: readonly string[] = [...order, 'access', ...permissionPaths, ...projectPaths];

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
  const lists = isRecord(rule) ? (effect === 'remove' ? [rule.remove] : [rule.exactly, rule.add]) : [rule];
  return lists.some((list) => Array.isArray(list) && list.some((item) => isSameEntry(item, entry)));
}

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
  const template = address.startsWith('template.') ? address.slice('template.'.length) : undefined;
  return [...layered]
    .filter(([user]) => user.startsWith('workspace.'))
    .flatMap(([user, layers]): LayerUse[] => {
      if (template === undefined) return [{ address: user, location: layers.location, via: [] }];
      if (!layers.templates.includes(template)) return [];
      return [{ address: user, location: layers.location, via: wayTo(template, layers.extends, layered) }];
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
  const about = { layer: ownLayers[kind], ...(location && { location }), overrides: [], entries: [] };
  if (kind === 'team-access') return [{ path: 'access', value: 'none', ...about }];
  return [
    { path: 'state', value: 'absent', ...about },
    ...(kind === 'workspace' ? [{ path: 'delete', value: declared?.absent ?? 'safe', ...about }] : []),
  ];
}

/** The fields of a resource without layers. Permissions that no line names have their documented default. */
function ownFields({ kind, attributes, declared }: Resource): ExplainedField[] {
  const values: Values = attributes;
  return Object.entries(values)
    .filter(([path]) => kind !== 'team-access' || (path !== 'project' && path !== 'team'))
    .map(([path, value]) => {
      const location = declared?.locations?.[path];
      return {
        path,
        value,
        layer: location ? ownLayers[kind] : 'default',
        ...(location && { location }),
        overrides: [],
        entries: [],
      };
    });
}

const ownLayers: Readonly<Record<ResourceKind, string>> = {
  project: 'project',
  workspace: 'workspace',
  'team-access': 'grant',
};

function isField(address: string, path: string): boolean {
  if (address.startsWith('project.')) return false;
  if (address.startsWith('team-access.'))
    return path === 'access' || permissionPaths.some((one) => one === path);
  const known: readonly string[] = [...workspaceRelations, ...nestedAttributes, 'protect'];
  return isAttributePath(path) || known.includes(path);
}

function unknownField({ address, fields }: Explanation, field: string): AttuneError {
  const known = address.startsWith('team-access.') ? ['access', ...permissionPaths] : [...order, 'protect'];
  const near = nearest(field, new Set([...known, ...fields.map(({ path }) => path)]));
  return new AttuneError(`unknown field ${JSON.stringify(field)} of ${address}`, {
    code: 'unknown-field',
    hint:
      near === undefined ? `run \`attune explain ${address}\` to list its fields` : `did you mean ${near}?`,
  });
}

function unknownAddress({ layered, desired }: Configuration, address: string): AttuneError {
  const known = new Set([...desired.resources.keys(), ...layered.keys()]);
  const prefixed = [...resourceKinds, 'template'].map((kind) => `${kind}.${address}`);
  const kind = address.slice(0, address.indexOf('.') + 1);
  const near =
    prefixed.find((candidate) => known.has(candidate)) ??
    nearest(
      address.slice(kind.length),
      [...known].filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length)),
    );
  return new AttuneError(`unknown address ${JSON.stringify(address)}: the files do not declare it`, {
    code: 'unknown-address',
    hint:
      near === undefined
        ? 'give workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME or defaults'
        : `did you mean ${known.has(near) ? near : `${kind}${near}`}?`,
  });
}
