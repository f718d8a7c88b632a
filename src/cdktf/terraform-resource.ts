import type { ResourceType } from './places.ts';

const reference = Symbol('reference');

/** The value of another resource's attribute, known to Terraform when it is needed. */
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
/** Arguments by their names. */
export interface Arguments {
  readonly [argument: string]: ArgumentValue;
}

/** One resource of a Terraform configuration, before it is JSON. */
export interface TerraformResource {
  readonly type: ResourceType;
  readonly name: string;
  /** Plain values; nothing in them is a template yet. */
  readonly arguments: Arguments;
  /** Arguments that Terraform shall leave as they are: unmanaged. */
  readonly ignoreChanges: readonly string[];
  /** Terraform refuses a plan that destroys it. */
  readonly preventDestroy?: boolean;
  /** How the provider finds what is live; absent where it is to be created. */
  readonly importId?: string;
}

/** Refers to an attribute by its whole address, as in `tfe_workspace.app.id`. */
export function referTo(address: string): TerraformReference {
  return { [reference]: address };
}

/**
 * What an argument is in a file of Terraform: every text there is a template, so what would start an expression is
 * escaped, and a reference is one.
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

/** The body of a resource, as it stands in JSON. */
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
