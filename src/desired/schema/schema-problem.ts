import { workspaceAttributes } from '../../model/attribute-table.ts';
import { workspaceRelations } from '../../model/attributes.ts';
import {
  type Diagnostic,
  type ProblemOptions,
  problem,
  type SourceLocation,
} from '../../model/diagnostic.ts';
import { permissions } from '../../model/permissions.ts';
import { listed, nearest, quote, suggestion } from '../../model/text.ts';
import { keyOffsets, locateKey, locateStart, locateValue, type Origins } from '../files/source.ts';
import type { Member, SchemaError } from './schema.ts';

/*
 * The errors of the validator in the terms of the configuration language. What to write instead is on the row of the schema,
 * as `errorMessage`, which editors show, too. Hints that depend on the value or on the unknown key are here.
 */

/** What a message needs of the part of the schema that is not met. */
interface Row {
  readonly title?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly propertyNames?: Row;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** What to write. */
  readonly errorMessage?: string;
}

type Text = readonly [code: string, message: string, hint?: ProblemOptions['hint']];

/** Keywords of errors that are about a key; the others are about its value. */
const ofKeys: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'propertyNames', 'required', 'dependentRequired'],
]);

export function schemaProblem(error: SchemaError, member: Member, origins: Origins): Diagnostic {
  const [code, message, hint] = textOf(error, member, origins);
  return problem(code, message, { at: placeOf(member, origins, ofKeys.has(error.keyword)), hint });
}

function placeOf({ container, key, value }: Member, origins: Origins, isOfKey: boolean): SourceLocation {
  if (container === undefined || key === undefined) return locateStart(origins, value as object);
  return isOfKey && typeof key === 'string'
    ? locateKey(origins, container, key)
    : locateValue(origins, container, key);
}

function textOf(error: SchemaError, member: Member, origins: Origins): Text {
  const { keyword, params } = error;
  const { key, owner, holder = '', value } = member;
  const row = error.parentSchema as Row;
  const { errorMessage } = row;
  const name =
    owner === undefined
      ? 'the file'
      : typeof key === 'number'
        ? `an entry of ${quote(owner.key)}`
        : quote(owner.key);
  const bad = (message: string, hint?: string): Text => ['bad-value', `${name} ${message}`, hint];
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(row, member);
    case 'propertyNames':
      return ['bad-value', `invalid name ${quote(key)} under ${holder}`, row.propertyNames?.errorMessage];
    case 'required':
      return ['missing-key', `${name} requires the key ${quote(params.missingProperty)}`];
    case 'dependentRequired':
      return ['missing-key', `${quote(key)} requires the key ${quote(params.missingProperty)}`];
    case 'type':
      return ['wrong-type', ...wrongType(row, member, { name, types: [params.type].flat(), origins })];
    case 'pattern':
      // The value can be the secret itself.
      return String(owner?.key).endsWith('-env')
        ? bad('is not the name of an environment variable', errorMessage)
        : bad(`cannot be ${quote(value)}`, errorMessage);
    case 'enum':
      return bad(`cannot be ${quote(value)}`, enumHint(String(value), params.allowedValues.map(String)));
    case 'const':
      return bad(`cannot be ${quote(value)}`, errorMessage ?? `write ${quote(params.allowedValue)}`);
    case 'minLength':
      return bad('cannot be empty', 'write a value, or remove the line');
    case 'maxLength':
      return bad(`is longer than ${row.maxLength} characters`);
    case 'minItems':
      return bad('cannot be an empty list: it would match nothing', 'remove the line to match all');
    case 'uniqueItems':
      return bad(`has ${quote((value as readonly unknown[])[params.j])} twice`);
    case 'minProperties':
    case 'maxProperties':
      return bad(wrongCount(row));
    default:
      return bad(`${error.message}, not ${quote(value)}`);
  }
}

function enumHint(written: string, allowed: readonly string[]): string {
  const near = nearest(written, allowed);
  return near === undefined
    ? `write ${listed(allowed)}`
    : `did you mean ${quote(near)}? Allowed values: ${listed(allowed)}`;
}

function wrongCount({ properties = {}, maxProperties }: Row): string {
  const keys = listed(Object.keys(properties));
  // A bound without properties is that of `exactly`, which allows no key beside it.
  if (keys === '') return 'combines "exactly" with other keys';
  return `requires ${maxProperties === 1 ? 'exactly one' : 'at least one'} of the keys ${keys}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
};

interface TypeContext {
  readonly name: string;
  readonly types: readonly string[];
  readonly origins: Origins;
}

/** A value of the wrong type, with the value that YAML parsed if it differs from the text. */
function wrongType(
  row: Row,
  member: Member,
  { name, types, origins }: TypeContext,
): [string, string | undefined] {
  const { value, container, key } = member;
  const wanted = listed(types.map((type) => typeNames[type] ?? type));
  const { enum: values, errorMessage, pattern } = row;
  if (value === null) return [`${name} cannot be null`, `write ${emptied(row, types)}, or remove the line`];
  const hint = values ? `write ${listed(values)}` : errorMessage;
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || !types.includes('string'))
    return [`${name} must be ${wanted}, not ${quote(value)}`, rewritten(value, types) ?? hint];
  const written =
    container !== undefined && key !== undefined ? writtenValue(origins, container, key) : String(value);
  const kind = typeof value === 'boolean' ? 'a flag' : 'a number';
  const read = typeof value === 'boolean' || String(value) === written ? kind : `the number ${value}`;
  // Quotes do not help if only some words are allowed, or other characters.
  const isFormat = pattern === undefined || new RegExp(pattern, 'u').test(written);
  return [
    `${name} must be ${wanted}: ${written} is read as ${read}`,
    values || !isFormat ? hint : `quote it: "${written}"`,
  ];
}

/** What to write for no value where null is an error. */
function emptied({ enum: values }: Row, types: readonly string[]): string {
  if (values) return listed(values);
  if (types.includes('array')) return '[] to empty it';
  if (types.includes('boolean')) return 'true or false';
  return types.includes('object') && !types.includes('string') ? '{} to declare none of its keys' : 'a value';
}

const flagWords: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
});

/** The value that a text probably means. */
function rewritten(value: unknown, types: readonly string[]): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const flag = flagWords[value.toLowerCase()];
  if (types.includes('boolean')) return flag === undefined ? undefined : `write ${flag}, without quotes`;
  if (types.includes('array')) return `write [${/^[a-z][\w-]*$/i.test(value) ? value : quote(value)}]`;
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && Number.isFinite(Number(value)) ? `write ${value.trim()}, without quotes` : undefined;
}

/** A key that the mapping does not have. The title of the row names the mapping. */
function unknownKey(row: Row, { key: written, holder = '' }: Member): Text {
  const key = String(written);
  const dashed = key.replaceAll('_', '-');
  const { title = 'mapping', properties = {}, pattern, errorMessage } = row;
  const known = Object.keys(properties);
  // A mapping instead of a list has no name but that of the list.
  const where = title === 'list rule' ? quote(holder) : `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  const place = misplaced.find(([mapping, keys]) => mapping.test(title) && keys.test(dashed));
  const neutral = neutralNames.get(dashed);
  const hint = () => {
    if (errorMessage !== undefined && pattern === undefined) return errorMessage;
    if (place) return place[2];
    if (neutral !== undefined && known.includes(neutral)) return `write ${quote(neutral)}`;
    if (title === 'included file' && nearest(key, known) === undefined)
      return `move it to the root file; an included file has ${listed(known)}`;
    return suggestion(key, known) ?? 'docs/configuration.md lists all keys';
  };
  return ['unknown-key', `unknown key ${quote(key)} in ${where}`, hint];
}

/** The keys of a workspace and its layers. */
const settings = [
  ...Object.keys(workspaceAttributes).map((path) => path.split('.')[0]),
  ...workspaceRelations,
];

/** Where a key belongs that is right in another place, or what manages what Attune does not. */
const misplaced: readonly (readonly [title: RegExp, key: RegExp, hint: string])[] = [
  [
    /^mapping of defaults$/,
    new RegExp(`^(${settings.join('|')})(\\.|$)`),
    'write it under defaults.workspace',
  ],
  [
    /^service mapping$/,
    /token|password|secret|credential/i,
    'remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file',
  ],
  [
    /^entry of notify$/,
    /url|address|webhook/i,
    'remove it, and name the environment variable that contains the address: "url-env: SLACK_URL"',
  ],
  [
    /^workspace$/,
    /^team(s|-access)$/,
    'write it under team-access of the file, by project: teams have access to projects',
  ],
  [
    /^workspace$/,
    /^name$/,
    'use the name as the key of the mapping; to rename the workspace, add renamed-from',
  ],
  [/^template$/, /^(state|delete|renamed-from)$/, 'move it to a workspace'],
  [
    /^/,
    /^((terraform-)?variables|vars|env|environment|env-vars|variable-sets|varsets|notification(s|-configurations)|run-(triggers|tasks)|policy-sets|sentinel|stacks|organization-access|members|users)$/,
    "remove it: Attune does not manage it; Terraform's tfe provider does",
  ],
];

/** Names of the `terraform` dialect, of other clients and of older versions, with the names in configuration files. */
const neutralNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...workspaceAttributes, ...permissions }).flatMap(([path, { wire }]) =>
    wire?.terraform ? [[wire.terraform, path.slice(path.indexOf('.') + 1)] as const] : [],
  ),
  ['agent-pool', 'agent-pool-id'],
  ['drift-detection', 'assessments-enabled'],
  ['project-id', 'project'],
  ['ssh-key-id', 'ssh-key'],
  ['tag-names', 'tags'],
  ['vcs', 'vcs-repo'],
]);

/** A number or a flag as it is written: `1.10` where the value is 1.1. */
function writtenValue(origins: Origins, container: object, key: string | number): string {
  const origin = origins.get(container);
  if (!origin) return '';
  const plain = /[^\s,[\]{}]+/y;
  plain.lastIndex = (typeof key === 'number' ? origin.offsets[key] : keyOffsets(origin, key)[1]) ?? 0;
  return plain.exec(origin.source.text)?.[0] ?? '';
}
