import type { Diagnostic } from '../model/diagnostic.ts';
import { noneIfEmpty, withoutUndefined } from '../model/value.ts';
import type { ResourceType } from './places.ts';

/*
 * Resources of Terraform as plain data, and their JSON. Terraform parses each text of it as a template: texts are escaped, and
 * a reference to another resource becomes a template.
 */

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
  readonly preventDestroy?: boolean | undefined;
  /** The import id of the live resource; absent if it is to be created. */
  readonly importId?: string | undefined;
}

/** A configuration as resources of Terraform's provider: plain data, from which a file or constructs are made. */
export interface TerraformExport {
  readonly organization: string;
  /** Sorted by type, in the order of {@link resourceTypes}, then by name. */
  readonly resources: readonly TerraformResource[];
  /** Declared settings that are not exported, or exported with restrictions: one warning or note each. */
  readonly unsupported: readonly Diagnostic[];
  /** The warnings and notes of a plan of the same configuration. */
  readonly diagnostics: readonly Diagnostic[];
  /** Addresses of declared resources whose live state differs: the changes that `terraform plan` will show. */
  readonly differing: readonly string[];
}

/** An `import` block. */
export interface ImportBlock {
  readonly to: string;
  readonly id: string;
}

/** A Terraform file in JSON syntax. */
export interface TerraformDocument {
  readonly '//': Comments;
  readonly terraform: object;
  readonly provider: object;
  readonly import?: readonly ImportBlock[] | undefined;
  readonly resource?: Readonly<Record<string, Readonly<Record<string, object>>>> | undefined;
}

/** The value of `//`, which Terraform ignores. */
export interface Comments {
  readonly 'written-by': string;
  readonly organization: string;
  /** Declared settings that Terraform's provider does not support, or supports with restrictions. */
  readonly 'not-carried-over': readonly string[];
}

const provider = { name: 'tfe', source: 'hashicorp/tfe', version: '~> 0.70' } as const;
const required = { required_version: '>= 1.5' };

/**
 * The export as one Terraform file. The address and the token come from the environment (`TFE_HOSTNAME`, `TFE_TOKEN`);
 * each workspace names the organization, so that the environment cannot select another one by accident.
 *
 * @example
 * ```ts
 * const document = terraformDocument(terraformExport(configuration, { live }));
 * console.log(document.import?.[0]);
 * // { to: 'tfe_workspace.billing-prod', id: 'ws-billing' }
 * ```
 */
export function terraformDocument(exported: TerraformExport): TerraformDocument {
  const { name, source, version } = provider;
  const { blocks, elements } = stackParts(exported);
  const resource: Record<string, Record<string, object>> = {};
  for (const { type, name, body } of elements) resource[type] = { ...resource[type], [name]: body };
  return {
    '//': blocks['//'],
    terraform: { ...required, required_providers: { [name]: { source, version } } },
    provider: { [name]: [{}] },
    import: noneIfEmpty(blocks.import),
    resource: elements.length > 0 ? resource : undefined,
  };
}

/** An export for a stack. Its blocks are the version that supports `import` blocks, and these. */
export function stackParts({ organization, resources, unsupported }: TerraformExport) {
  const comments: Comments = {
    'written-by': 'attune export terraform',
    organization,
    'not-carried-over': unsupported.map(({ message }) => message),
  };
  const imports = resources.flatMap((resource): ImportBlock[] =>
    resource.importId === undefined
      ? []
      : [{ to: resourceAddress(resource), id: String(toTemplate(resource.importId)) }],
  );
  return {
    provider,
    blocks: { '//': comments, terraform: required, import: imports },
    elements: resources.map((one) => ({ ...one, address: resourceAddress(one), body: resourceBody(one) })),
  };
}

function resourceBody(resource: TerraformResource): Readonly<Record<string, unknown>> {
  const { ignoreChanges, preventDestroy } = resource;
  const body = toTemplate(resource.arguments) as Readonly<Record<string, unknown>>;
  const lifecycle = withoutUndefined({
    prevent_destroy: preventDestroy ? true : undefined,
    ignore_changes: noneIfEmpty([...ignoreChanges].sort()),
  });
  return Object.keys(lifecycle).length > 0 ? { ...body, lifecycle } : body;
}

function resourceAddress({ type, name }: Pick<TerraformResource, 'type' | 'name'>): string {
  return `${type}.${name}`;
}

export function idReference(type: ResourceType, name: string): TerraformReference {
  return { [reference]: `${resourceAddress({ type, name })}.id` };
}

export function toTemplate(value: ArgumentValue): unknown {
  if (typeof value === 'string') return value.replaceAll(/([$%])\{/g, '$1$1{');
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toTemplate);
  if (reference in value) return `\${${value[reference]}}`;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toTemplate(inner)]));
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
    const characters = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');
    const wanted = isIdentifier(characters) ? characters : `_${characters}`;
    let identifier = wanted;
    for (let count = 2; taken.has(identifier); count += 1) identifier = `${wanted}_${count}`;
    given.set(name, identifier);
    taken.add(identifier);
  }
  return (name) => given.get(name) ?? name;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}
