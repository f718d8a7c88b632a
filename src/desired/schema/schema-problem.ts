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
import { isRecord } from '../../model/value.ts';
import { keyOffsets, locateKey, locateStart, locateValue, type Origins } from '../files/source.ts';
import { entryHint, lookAlikeHint } from '../mistyped.ts';
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
  const isOfKey = ofKeys.has(error.keyword);
  const written = isOfKey ? member.key : member.value;
  const otherCharacter = typeof written === 'string' ? lookAlikeHint(written) : undefined;
  return problem(code, message, { at: placeOf(member, origins, isOfKey), hint: otherCharacter ?? hint });
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
  const level = types.includes('object') ? levelHint(row, member) : undefined;
  if (value === null)
    return [`${name} cannot be null`, level ?? `write ${emptied(row, types)}, or remove the line`];
  const hint = level ?? (values ? `write ${listed(values)}` : (errorMessage ?? keysHint(row, types, value)));
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (!isScalar || !types.includes('string'))
    return [`${name} must be ${wanted}, not ${quote(value)}`, level ?? rewritten(value, types) ?? hint];
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

/** Where the value belongs that was written instead of a workspace, or its keys. */
function levelHint({ title }: Row, { container, key, value }: Member): string | undefined {
  if (title !== 'workspace' || typeof key !== 'string' || container === undefined) return undefined;
  if (value !== null) return elsewhere(key, { title: 'mapping of workspaces', container });
  const next = Object.keys(container)[Object.keys(container).indexOf(key) + 1];
  return next !== undefined && settings.has(next) ? `indent the keys of ${quote(key)} below it` : undefined;
}

/** The keys of a mapping, instead of which there is another value. */
function keysHint(
  { title, properties = {} }: Row,
  types: readonly string[],
  value: unknown,
): string | undefined {
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
  const entry = entryHint(value);
  if (types.includes('array')) {
    if (value.startsWith('-') && entry !== undefined) return entry;
    const parts = value.split(/,\s*/);
    return `write [${parts.map((part) => (/^[a-z][\w-]*$/i.test(part) ? part : quote(part))).join(', ')}]`;
  }
  if (types.includes('object') && /[\s:=]/.test(value)) return entry;
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && Number.isFinite(Number(value)) ? `write ${value.trim()}, without quotes` : undefined;
}

/** A key that the mapping does not have. The title of the row names the mapping. */
function unknownKey(row: Row, { key: written, holder = '', container = {}, value }: Member): Text {
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
    const there = elsewhere(dashed, {
      title,
      holder,
      container,
      value,
      isNear: nearest(key, known) !== undefined,
    });
    if (there !== undefined) return there;
    if (/[:=\s]/.test(key)) return entryHint(key);
    if (title === 'included file' && nearest(key, known) === undefined)
      return `move it to the root file; an included file has ${listed(known)}`;
    return suggestion(key, known) ?? 'docs/configuration.md lists all keys';
  };
  return ['unknown-key', `unknown key ${quote(key)} in ${where}`, hint];
}

/** The keys of a workspace and its layers. */
const settings: ReadonlySet<string> = new Set([
  ...Object.keys(workspaceAttributes).map((path) => path.replace(/\..*/, '')),
  ...[...workspaceRelations, 'extends', 'protect', 'renamed-from', 'unmanaged'],
]);

/** The keys of mappings inside others, by the key of the mapping: `branch` in `vcs-repo`. */
const nested = Object.entries({ ...workspaceAttributes, ...permissions }).flatMap(([path]) => {
  const [holder = '', key] = path.split('.');
  return key === undefined ? [] : [[key, holder] as const];
});

const sectionsOfFile: ReadonlySet<string> = new Set([
  ...['organization', 'service', 'include', 'defaults', 'projects', 'teams', 'ssh-keys', 'agent-pools'],
  ...['vcs-connections', 'templates', 'workspaces', 'roles', 'team-access', 'policies', 'scope', 'prune'],
  ...['limits', 'guards', 'notify', 'exceptions', 'freeze'],
]);

/** The keys of sections that are not at the top of the file. */
const keysOfSections: ReadonlyMap<string, string> = new Map([
  ...['address', 'dialect', 'rate', 'parallelism', 'timeout'].map((key) => [key, 'service'] as const),
  ...['deletes', 'delete-percent', 'revokes', 'updates'].map((key) => [key, 'limits'] as const),
  ...['keep-admin', 'keep-self'].map((key) => [key, 'guards'] as const),
]);

interface Misplaced {
  /** The title of the mapping that has the key, its own key, and its data. */
  readonly title: string;
  readonly holder?: string;
  readonly container: object;
  readonly value?: unknown;
  /** Whether the mapping has a key with nearly the same name. */
  readonly isNear?: boolean;
}

/** The place where a key is allowed, if that is a level deeper or higher. */
function elsewhere(key: string, misplaced: Misplaced): string | undefined {
  const { title, holder = '', container, value, isNear = false } = misplaced;
  const below = (what: string, where: string) => `\`${key}\` is a key of ${what}: indent it below ${where}`;
  const ofFile = (section: string) => `\`${section}\` is a key of the file: write it without indentation`;
  if (title === 'root file' || title === 'included file') {
    const { workspaces = {} } = container as { readonly workspaces?: object };
    if (settings.has(key)) return below('a workspace', workspaceAbove(workspaces));
    const section = keysOfSections.get(key);
    if (section !== undefined) return below(`\`${section}\``, `\`${section}\``);
    const isWorkspace = isRecord(value) && Object.keys(value).some((one) => settings.has(one));
    return isWorkspace && !isNear
      ? `\`${key}\` has keys of a workspace: indent it below \`workspaces\``
      : undefined;
  }
  if (title === 'mapping of workspaces') {
    if (settings.has(key)) return below('a workspace', workspaceAbove(container, key));
    return sectionsOfFile.has(key) ? ofFile(key) : undefined;
  }
  if (nested.some(([, group]) => group === title) && settings.has(key))
    return `\`${key}\` is a key of a workspace: indent it like \`${title}\``;
  const isAccess = title === 'grant' || title === 'role';
  const holds = isAccess || title === 'workspace' || title === 'template' || title.endsWith('defaults');
  const [, group] = nested.find(([one, of]) => one === key && of.endsWith('-access') === isAccess) ?? [];
  if (isNear) return undefined;
  // The entry is itself a setting or a section, with the indentation of a workspace.
  if (title === 'workspace' && settings.has(holder))
    return `\`${holder}\` is a key of a workspace: indent it, with its keys, below the name of one`;
  if (title === 'workspace' && sectionsOfFile.has(holder)) return ofFile(holder);
  if (holds && group !== undefined) return below(`\`${group}\``, `\`${group}\``);
  return sectionsOfFile.has(key) ? ofFile(key) : undefined;
}

/** The workspace above a key that is indented like its name; without one, where workspaces are. */
function workspaceAbove(workspaces: object, key?: string): string {
  const names = Object.keys(workspaces);
  const above = key === undefined ? names : names.slice(0, names.indexOf(key));
  const name = above.findLast((one) => !settings.has(one) && !sectionsOfFile.has(one));
  return name === undefined ? 'the name of a workspace' : `\`${name}\``;
}

/** Where a key belongs that is right in another place, or what manages what Attune does not. */
const misplaced: readonly (readonly [title: RegExp, key: RegExp, hint: string])[] = [
  [
    /^mapping of defaults$/,
    new RegExp(`^(${[...settings].join('|')})(\\.|$)`),
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
  ['template', 'extends'],
  ['version', 'attune'],
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
