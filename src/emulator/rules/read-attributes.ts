import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import {
  type NestedAttribute,
  nestedAttributes,
  wirePlaces,
  workspaceNamePattern,
} from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { AttributeSpec, WirePlace } from '../../model/rows.ts';
import { isRecord, isTexts, type Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';

/** The attributes of a request, under the neutral names. */
export interface ReadAttributes {
  readonly name: string | undefined;
  readonly values: GivenValues;
  /** `inherits-project-auto-destroy`, which only the live service accepts. */
  readonly inheritsSchedule: boolean | undefined;
  /** `removed` for `vcs-repo: null`, `given` for a mapping. */
  readonly repository: 'absent' | 'removed' | 'given';
  readonly errors: ErrorObject[];
}

/**
 * Reads the attributes of the table and ignores all others, as the live service does.
 *
 * @param places the attributes, and their names. @default those of the dialect
 */
export function readAttributes(
  input: unknown,
  dialect: Dialect,
  places: readonly WirePlace<AttributePath>[] = wirePlaces[dialect],
): ReadAttributes {
  const attributes = isRecord(input) ? withHyphens(input, dialect) : {};
  const errors: ErrorObject[] = [];
  const values: Partial<Record<AttributePath, Value>> = {};
  const nested = new Map(
    nestedAttributes.map((name) => [name, readNested(name, attributes[name], dialect, errors)]),
  );
  for (const { path, holder, name } of places) {
    const source = holder ? nested.get(holder) : attributes;
    const given = source?.[name];
    if (given === undefined) continue;
    const pointer = `/data/attributes/${holder ? `${holder}/` : ''}${name}`;
    const value = readValue(workspaceAttributes[path], given, dialect);
    if (value instanceof Problem) errors.push(invalid(pointer, value.detail));
    else if (value !== undefined) values[path] = value;
  }
  const version = values['iac-version'];
  if (dialect === 'terraform' && typeof version === 'string' && !isKnownVersion(version)) {
    errors.push(invalid('/data/attributes/terraform-version', `Terraform version ${version} does not exist`));
  }
  const name = readWorkspaceName(attributes.name, errors);
  const repository =
    attributes['vcs-repo'] === null ? 'removed' : nested.get('vcs-repo') ? 'given' : 'absent';
  return { name, values, inheritsSchedule: readInherits(attributes, dialect, errors), repository, errors };
}

function readInherits(
  attributes: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  errors: ErrorObject[],
): boolean | undefined {
  const name = 'inherits-project-auto-destroy';
  const value = dialect === 'terraform' ? attributes[name] : undefined;
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
  errors.push(invalid(`/data/attributes/${name}`, 'must be true or false'));
  return undefined;
}

function readWorkspaceName(name: unknown, errors: ErrorObject[]): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && workspaceNamePattern.test(name)) return name;
  errors.push(
    name === '' || name === null
      ? invalid('/data/attributes/name', "can't be blank")
      : invalid('/data/attributes/name', 'can only include letters, numbers, -, and _'),
  );
  return undefined;
}

function readNested(
  name: NestedAttribute,
  value: unknown,
  dialect: Dialect,
  errors: ErrorObject[],
): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(value)) return withHyphens(value, dialect);
  if (value !== undefined && value !== null)
    errors.push(invalid(`/data/attributes/${name}`, 'must be an object'));
  return undefined;
}

/** The live service accepts `terraform_version` for `terraform-version`. */
function withHyphens(
  input: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): Readonly<Record<string, unknown>> {
  if (dialect !== 'terraform') return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key.replaceAll('_', '-'), value]));
}

class Problem {
  readonly detail: string;
  constructor(detail: string) {
    this.detail = detail;
  }
}

function readValue(spec: AttributeSpec, value: unknown, dialect: Dialect): Value | undefined | Problem {
  if (value === null) return readNull(spec, dialect);
  switch (spec.type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : new Problem('must be true or false');
    case 'strings':
      return isTexts(value) ? value : new Problem('must be a list of strings');
    case 'string':
      return typeof value === 'string' ? readText(spec, value, dialect) : new Problem('must be a string');
    default:
      return spec.type satisfies never;
  }
}

function readNull(spec: AttributeSpec, dialect: Dialect): Value | undefined | Problem {
  if (spec.nullable) return null;
  if (dialect === 'iac') return new Problem("can't be null");
  return spec.type === 'strings' ? [] : undefined;
}

function readText(spec: AttributeSpec, value: string, dialect: Dialect): Value | Problem {
  // The official clients clear an id or a time with an empty string.
  if (value === '' && spec.nullable) return null;
  if (spec.values && !spec.values.includes(value))
    return new Problem(`must be one of ${spec.values.join(', ')}`);
  if (spec.compare === 'instant') return readMoment(spec, value, dialect);
  if (spec.pattern && !spec.pattern.test(value)) {
    return new Problem("must be a number greater than 0 of up to 4 digits and 1 unit ('d' or 'h')");
  }
  return value;
}

/** The live service stores a time in UTC. */
function readMoment(spec: AttributeSpec, value: string, dialect: Dialect): Value | Problem {
  const time = Date.parse(value);
  if (Number.isNaN(time) || spec.pattern?.test(value) === false)
    return new Problem('must be an ISO 8601 timestamp with a time zone');
  return dialect === 'terraform' ? new Date(time).toISOString().replace('.000Z', 'Z') : value;
}

/** An exact version, `latest`, or a constraint such as `~> 1.9.0, != 1.9.3`. */
const versionPattern =
  /^(?:latest|(?:\s*(?:(?:=|!=|>=?|<=?|~>)\s*)?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?\s*(?:,(?!$)|$))+)$/;

/** The live service refuses a version that does not exist. Every release so far is 0.x or 1.x. */
function isKnownVersion(version: string): boolean {
  return versionPattern.test(version) && !/^\s*(?:[2-9]|\d{2,})\.\d+\.\d+/.test(version);
}

/** A workspace's own values, complete. */
export type OwnValues = Readonly<Record<AttributePath, Value>>;

/** The values in a request. */
export type GivenValues = Readonly<Partial<Record<AttributePath, Value>>>;
