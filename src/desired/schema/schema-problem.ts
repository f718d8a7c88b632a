import type { ErrorObject } from 'ajv/dist/2020.js';
import { workspaceAttributes } from '../../model/attribute-table.ts';
import {
  type Diagnostic,
  type ProblemOptions,
  problem,
  type SourceLocation,
} from '../../model/diagnostic.ts';
import { permissions } from '../../model/permissions.ts';
import { listed, nearest, quote, suggestion } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import { commentInstead, type Origins, textAt } from '../files/source.ts';
import { entryHint, literalName, lookAlikeHint } from '../mistyped.ts';
import { type Member, placeOfEntry, placeOfKey, settings } from './misplaced-keys.ts';

/*
 * The errors of the validator in the terms of the configuration language. What to write instead is on the row of the schema,
 * as `errorMessage`, which editors show, too. Hints that depend on the value or on the unknown key are here.
 */

interface Row {
  readonly title?: string;
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  readonly propertyNames?: Row;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly errorMessage?: string;
}

type Text = readonly [code: string, message: string, hint?: ProblemOptions['hint']];

const ofKeys: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'propertyNames', 'required', 'dependentRequired'],
]);

export function schemaProblem(error: ErrorObject, member: Member, origins: Origins): Diagnostic {
  const isOfKey = ofKeys.has(error.keyword);
  const written = isOfKey ? member.key : member.value;
  const isName = error.keyword === 'pattern' || error.keyword === 'propertyNames';
  const [code, message, hint] = (isName && literalName(written)) || textOf(error, member, origins);
  const isCompared = error.keyword !== 'maxLength';
  const otherCharacter = isCompared ? (lookAlikeHint(written) ?? lookAlikeHint(member.key)) : undefined;
  return problem(code, message, { at: placeOf(member, origins, isOfKey), hint: otherCharacter ?? hint });
}

function placeOf({ container, key, value }: Member, origins: Origins, isOfKey: boolean): SourceLocation {
  if (container === undefined || key === undefined) return origins.atStart(value as object);
  return isOfKey && typeof key === 'string' ? origins.atKey(container, key) : origins.atValue(container, key);
}

function textOf(error: ErrorObject, member: Member, origins: Origins): Text {
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
    case 'required': {
      const { missingProperty: missing } = params;
      const { const: fixed } = row.properties?.[missing] ?? {};
      const hint = fixed === undefined ? undefined : `add "${missing}: ${fixed}"`;
      return ['missing-key', `${name} requires the key ${quote(missing)}`, hint];
    }
    case 'dependentRequired':
      return ['missing-key', `${quote(key)} requires the key ${quote(params.missingProperty)}`];
    case 'type':
      return ['wrong-type', ...wrongType(row, member, name, [params.type].flat(), origins)];
    case 'pattern':
      // The value can be the secret itself.
      return String(owner?.key).endsWith('-env')
        ? bad('is not the name of an environment variable', errorMessage)
        : bad(`cannot be ${quote(value)}`, errorMessage);
    case 'enum':
      return bad(`cannot be ${quote(value)}`, enumHint(String(value), row));
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

function enumHint(written: string, { enum: values = [], errorMessage }: Row): string {
  const allowed = values.map(String);
  const near = nearest(written, allowed);
  return near === undefined
    ? (errorMessage ?? `write ${listed(allowed)}`)
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

function wrongType(
  row: Row,
  member: Member,
  name: string,
  types: readonly string[],
  origins: Origins,
): [string, string | undefined] {
  const { value, container, key } = member;
  const wanted = listed(types.map((type) => typeNames[type] ?? type));
  const { enum: values, errorMessage, pattern } = row;
  const level = types.includes('object') ? placeOfEntry(row.title, member) : undefined;
  const at = container !== undefined && key !== undefined ? ([origins, container, key] as const) : undefined;
  if (value === null) {
    const comment = at ? commentInstead(...at) : '';
    const isText = comment !== '' && types.includes('string');
    return [
      comment === '' ? `${name} cannot be null` : `${name} is empty: ${comment} is a comment`,
      level ??
        (values && errorMessage) ??
        (isText ? `quote it: "${comment}"` : `write ${emptied(row, types)}, or remove the line`),
    ];
  }
  const hint = level ?? errorMessage ?? (values ? `write ${listed(values)}` : keysHint(row, types, value));
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || !types.includes('string'))
    return [`${name} must be ${wanted}, not ${quote(value)}`, level ?? rewritten(value, types, key) ?? hint];
  const written = at ? textAt(...at, /[^\s,[\]{}]+/y) : String(value);
  const kind = typeof value === 'boolean' ? 'a flag' : 'a number';
  const read = typeof value === 'boolean' || String(value) === written ? kind : `the number ${value}`;
  // Quotes do not help if only some words are allowed, or other characters.
  const isFormat = pattern === undefined || new RegExp(pattern, 'u').test(written);
  return [
    `${name} must be ${wanted}: ${written} is read as ${read}`,
    values || level || !isFormat ? hint : `quote it: "${written}"`,
  ];
}

function keysHint({ title, properties = {} }: Row, types: readonly string[], value: unknown) {
  if (!types.includes('object') || types.includes('array')) return undefined;
  if (title === 'mapping of teams')
    return 'write the project, and indent each team with its access below it: "developers: write"';
  if (title === 'tag bindings') return 'write each tag as a key with its value, such as "env: prod"';
  const keys = Object.keys(properties);
  if (keys.length > 0 && keys.length <= mostKeys) return `write its keys below it: ${listed(keys)}`;
  if (!Array.isArray(value)) return undefined;
  const [first] = value;
  const name = isRecord(first) ? first.name : first;
  return `write each name as a key, without "-" and brackets: "${typeof name === 'string' ? name : 'name'}: {}"`;
}

const mostKeys = 8;

function emptied({ enum: values }: Row, types: readonly string[]): string {
  if (values) return listed(values);
  if (types.includes('array')) return '[] to empty it';
  if (types.includes('boolean')) return 'true or false';
  return types.includes('object') && !types.includes('string') ? '{} to declare none of its keys' : 'a value';
}

function rewritten(value: unknown, types: readonly string[], key: Member['key']): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  if (types.includes('boolean'))
    return /^(true|false)$/.test(value) ? `write ${value}, without quotes` : undefined;
  const entry = entryHint(value);
  if (types.includes('array')) {
    if (value.startsWith('-') && entry !== undefined) return entry;
    if (key === 'remote-state-consumers' && /^(all|\*)$/i.test(value))
      return 'write global-remote-state: true instead to share the state with all workspaces, or list their names';
    const parts = value.split(/,\s*/);
    return `write [${parts.map((part) => (/^[a-z][\w-]*$/i.test(part) ? part : quote(part))).join(', ')}]`;
  }
  if (types.includes('object') && /[\s:=]/.test(value)) return entry;
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && Number.isFinite(Number(value)) ? `write ${value.trim()}, without quotes` : undefined;
}

function unknownKey(row: Row, { key: written, holder = '', container = {}, value }: Member): Text {
  const key = String(written);
  const dashed = key.replaceAll('_', '-');
  const { title = 'mapping', properties = {}, pattern, errorMessage } = row;
  const known = Object.keys(properties);
  // A mapping instead of a list has no name but that of the list.
  const where = title === 'list rule' ? quote(holder) : `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  const neutral = neutralNames.get(dashed);
  const hint = () => {
    if (known.includes(dashed)) return `did you mean ${quote(dashed)}?`;
    if (neutral !== undefined && known.includes(neutral) && typeof value !== 'boolean')
      return `write ${quote(neutral)}`;
    const own = pattern === undefined ? errorMessage : undefined;
    if (own !== undefined && !settings.has(dashed)) return own;
    const near = nearest(key, known);
    const place = placeOfKey(dashed, { title, holder, container, value, near });
    if (place !== undefined) return place;
    if (own !== undefined) return own;
    if (/[:=\s]/.test(key)) return entryHint(key);
    if (title === 'included file' && near === undefined)
      return `move it to the root file; an included file has ${listed(known)}`;
    return suggestion(key, known) ?? 'docs/configuration.md lists all keys';
  };
  return ['unknown-key', `unknown key ${quote(key)} in ${where}`, hint];
}

/** Names of the `terraform` dialect, of other clients and of older versions, with the names in configuration files. */
const neutralNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...workspaceAttributes, ...permissions }).flatMap(([path, { wire }]) =>
    wire?.terraform ? [[wire.terraform, path.slice(path.indexOf('.') + 1)] as const] : [],
  ),
  ['agent-pool', 'agent-pool-id'],
  ['template', 'extends'],
  ['version', 'attune'],
  ['drift-detection', 'assessments-enabled'],
  ['project-id', 'project'],
  ['ssh-key-id', 'ssh-key'],
  ['tag-names', 'tags'],
  ['vcs', 'vcs-repo'],
]);
