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
import { type ErrorObject, invalidAttribute } from '../http/responses.ts';
import type { StoredProject } from '../store/store.ts';
import type { World } from '../world.ts';

export type OwnValues = Readonly<Record<AttributePath, Value>>;

/** A workspace while the rules of a write change it, one after the other. */
export interface Draft {
  readonly world: World;
  readonly organization: string;
  /** That of the workspace after the request. */
  readonly project: StoredProject | undefined;
  readonly given: ReturnType<typeof readAttributes>;
  readonly own: Record<AttributePath, Value>;
  neverDestroyed: boolean;
  readonly refuse: (path: string, detail: string) => void;
}

type Attributes = Readonly<Record<string, unknown>>;
type Report = (path: string, detail: string) => void;

/** Reads the attributes of the table and ignores all others, as the live service does. */
export function readAttributes(
  input: Attributes,
  dialect: Dialect,
  places: readonly WirePlace<AttributePath>[] = wirePlaces[dialect],
) {
  const attributes = withHyphens(input, dialect);
  const errors: ErrorObject[] = [];
  const refuse: Report = (path, detail) => errors.push(invalidAttribute(path, detail));
  const values: Partial<Record<AttributePath, Value>> = {};
  const nested = new Map(
    nestedAttributes.map((name) => [name, readNested(name, attributes[name], dialect, refuse)]),
  );
  for (const { path, holder, name } of places) {
    const given = (holder ? nested.get(holder) : attributes)?.[name];
    if (given === undefined) continue;
    const wrong = (detail: string) => refuse(holder ? `${holder}/${name}` : name, detail);
    const value = readValue(workspaceAttributes[path], given, dialect, wrong);
    if (value !== undefined) values[path] = value;
  }
  const version = values['iac-version'];
  if (dialect === 'terraform' && typeof version === 'string' && !isKnownVersion(version))
    refuse('terraform-version', `Terraform version ${version} does not exist`);
  const isGiven = nested.get('vcs-repo') !== undefined;
  const repository: 'removed' | 'given' | 'absent' =
    attributes['vcs-repo'] === null ? 'removed' : isGiven ? 'given' : 'absent';
  // The interface document lists these flags among the read-only attributes. Only the live service accepts them.
  const flag = (name: string): boolean | undefined => {
    const value = (dialect === 'terraform' ? attributes[name] : undefined) ?? undefined;
    if (value === undefined || typeof value === 'boolean') return value;
    refuse(name, 'must be true or false');
    return undefined;
  };
  return {
    name: readName(attributes.name, refuse),
    values,
    inheritsSchedule: flag('inherits-project-auto-destroy'),
    structuredOutput: flag('structured-run-output-enabled'),
    repository,
    errors,
  };
}

function readName(name: unknown, refuse: Report): string | undefined {
  if (name === undefined || (typeof name === 'string' && workspaceNamePattern.test(name))) return name;
  const isBlank = name === '' || name === null;
  refuse('name', isBlank ? "can't be blank" : 'can only include letters, numbers, -, and _');
  return undefined;
}

function readNested(
  name: NestedAttribute,
  value: unknown,
  dialect: Dialect,
  refuse: Report,
): Attributes | undefined {
  if (isRecord(value)) return withHyphens(value, dialect);
  if (value !== undefined && value !== null) refuse(name, 'must be an object');
  return undefined;
}

/** The live service accepts `terraform_version` for `terraform-version`. */
function withHyphens(input: Attributes, dialect: Dialect): Attributes {
  if (dialect !== 'terraform') return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key.replaceAll('_', '-'), value]));
}

/** The value that is stored; undefined for one that is wrong, or left as it was. */
function readValue(spec: AttributeSpec, value: unknown, dialect: Dialect, wrong: (detail: string) => void) {
  const refuse = (detail: string) => {
    wrong(detail);
    return undefined;
  };
  if (value === null) {
    if (spec.nullable) return null;
    if (dialect === 'iac') return refuse("can't be null");
    return spec.type === 'strings' ? [] : undefined;
  }
  if (spec.type === 'boolean') return typeof value === 'boolean' ? value : refuse('must be true or false');
  if (spec.type === 'strings') return isTexts(value) ? value : refuse('must be a list of strings');
  if (typeof value !== 'string') return refuse('must be a string');
  // The official clients clear an id or a time with an empty string.
  if (value === '' && spec.nullable) return null;
  if (spec.values && !spec.values.includes(value)) return refuse(`must be one of ${spec.values.join(', ')}`);
  const isMatch = spec.pattern?.test(value) !== false;
  if (spec.compare !== 'instant')
    return isMatch
      ? value
      : refuse("must be a number greater than 0 of up to 4 digits and 1 unit ('d' or 'h')");
  const time = Date.parse(value);
  if (Number.isNaN(time) || !isMatch) return refuse('must be an ISO 8601 timestamp with a time zone');
  // The live service stores a time in UTC.
  return dialect === 'terraform' ? new Date(time).toISOString().replace('.000Z', 'Z') : value;
}

/** An exact version, `latest`, or a constraint such as `~> 1.9.0, != 1.9.3`. */
const versionPattern =
  /^(?:latest|(?:\s*(?:(?:=|!=|>=?|<=?|~>)\s*)?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?\s*(?:,(?!$)|$))+)$/;

/** The live service refuses a version that does not exist. Every release so far is 0.x or 1.x. */
function isKnownVersion(version: string): boolean {
  return versionPattern.test(version) && !/^\s*(?:[2-9]|\d{2,})\.\d+\.\d+/.test(version);
}
