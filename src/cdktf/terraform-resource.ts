import type { ResourceType } from './places.ts';

const reference = Symbol('reference');

/** A reference to an attribute of another resource, which Terraform resolves. */
export interface TerraformReference {
  readonly [reference]: string;
}

/** The value of an argument, before it is JSON. */
export type ArgumentValue =
  | string
  | number
  | boolean
  | TerraformReference
  | readonly ArgumentValue[]
  | Arguments;
/** The arguments of a resource or block, by name. */
export interface Arguments {
  readonly [argument: string]: ArgumentValue;
}

/** One resource of a Terraform configuration, before it is JSON. */
export interface TerraformResource {
  readonly type: ResourceType;
  readonly name: string;
  /** Plain values, not yet escaped as templates. */
  readonly arguments: Arguments;
  /** Unmanaged arguments. */
  readonly ignoreChanges: readonly string[];
  /** Makes Terraform refuse a plan that destroys the resource. */
  readonly preventDestroy?: boolean;
  /** The import id of the live resource; absent if it is to be created. */
  readonly importId?: string;
}

/** Refers to an attribute by its whole address, as in `tfe_workspace.app.id`. */
export function referTo(address: string): TerraformReference {
  return { [reference]: address };
}

/**
 * Converts an argument to JSON. Terraform parses every string as a template, so template sequences in strings are
 * escaped; a reference becomes a template.
 */
export function toTemplate(value: ArgumentValue): unknown {
  if (typeof value === 'string') return value.replaceAll(/([$%])\{/g, '$1$1{');
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toTemplate);
  if (isReference(value)) return `\${${value[reference]}}`;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toTemplate(inner)]));
}

function isReference(value: object): value is TerraformReference {
  return reference in value;
}

/** The JSON body of a resource. */
export function resourceBody(resource: TerraformResource): Readonly<Record<string, unknown>> {
  const { ignoreChanges, preventDestroy } = resource;
  const lifecycle = {
    ...(preventDestroy && { prevent_destroy: true }),
    ...(ignoreChanges.length > 0 && { ignore_changes: [...ignoreChanges].sort() }),
  };
  return {
    ...(toTemplate(resource.arguments) as Readonly<Record<string, unknown>>),
    ...(Object.keys(lifecycle).length > 0 && { lifecycle }),
  };
}

export function resourceAddress({ type, name }: Pick<TerraformResource, 'type' | 'name'>): string {
  return `${type}.${name}`;
}

/**
 * Unique identifiers for Terraform's resources, the same for the same input. A name that is an identifier is kept, so a
 * workspace and its resource usually have the same name.
 */
export function resourceNames(names: Iterable<string>): (name: string) => string {
  const sorted = [...new Set(names)].sort();
  const given = new Map(sorted.filter(isIdentifier).map((name) => [name, name]));
  const taken = new Set(given.keys());
  for (const name of sorted) {
    if (given.has(name)) continue;
    const identifier = freeName(toIdentifier(name), taken);
    given.set(name, identifier);
    taken.add(identifier);
  }
  return (name) => given.get(name) ?? name;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

function toIdentifier(name: string): string {
  const characters = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');
  return isIdentifier(characters) ? characters : `_${characters}`;
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  return name;
}
