import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { keysOfPointer } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { nearest } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import type { Origins } from '../files/source.ts';
import type { Problems } from '../problems.ts';
import { keysOfGrants, type Member } from './misplaced-keys.ts';
import { schemaProblem } from './schema-problem.ts';

export const schemaFile = 'schemas/attune.schema.json';

export type FileRole = 'root' | 'included' | 'policy-file';
type Validator = ValidateFunction;

const entrySections = ['templates', 'workspaces', 'team-access'] as const;
type EntrySection = (typeof entrySections)[number];

export const schemaParts = {
  root: 'attune',
  included: 'attune#/$defs/included-file',
  'policy-file': 'attune#/$defs/policy-file',
  templates: 'attune#/$defs/templates',
  workspaces: 'attune#/$defs/workspaces',
  'team-access': 'attune#/$defs/team-access',
} as const satisfies Record<FileRole | EntrySection, string>;

type Validators = Readonly<Record<keyof typeof schemaParts, Validator>>;

export const ajvOptions: Options = {
  // Shorter code, which starts faster.
  inlineRefs: false,
  // The tests check that the schema is valid; this need not be repeated at every start.
  meta: false,
  validateSchema: false,
  allErrors: true,
  // Errors contain their part of the schema: its title and keys are used in messages.
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  // For editors (yaml-language-server); messages show errorMessage, too.
  keywords: ['errorMessage'],
};

/** The published schema as functions: as the build compiled them, or compiled now without a build (slower). */
let loaded: Promise<Validators> | undefined;

async function compileNow(): Promise<Validators> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020(ajvOptions);
  ajv.addSchema(JSON.parse(readPackageFile(schemaFile)), 'attune');
  const validators = Object.entries(schemaParts).map(([part, $ref]) => [part, ajv.compile({ $ref })]);
  return Object.fromEntries(validators);
}

/**
 * Checks one file's data against the schema, reports the errors, and removes wrong values, so that the later checks see
 * only valid ones. A wrong value leaves `undefined` under its key, which differs from a missing key.
 */
export async function validateFile(
  data: Mapping,
  role: FileRole,
  { origins, problems }: { readonly origins: Origins; readonly problems: Problems },
): Promise<void> {
  loaded ??= import('./compiled-schema.js').then((compiled) => compiled.default, compileNow);
  const reported = new Map<unknown, Map<string | number | undefined, string>>();
  const broken = new Map<NonNullable<Member['owner']>['mapping'], Set<string>>();
  for (const [path, error] of fileErrors(data, role, await loaded)) {
    const member = memberAt(data, path, error);
    const { owner } = member;
    // Each mapping that an alias gives the same list owns it, although an error in it is reported once.
    // An entry of a list that lacks a key is still read, so that one entry hides no problem of the others.
    const isLacking = error.keyword === 'required' && Array.isArray(member.container);
    if (owner && !isLacking)
      broken.set(owner.mapping, (broken.get(owner.mapping) ?? new Set()).add(owner.key));
    const keywords = reported.get(member.container) ?? new Map<string | number | undefined, string>();
    reported.set(member.container, keywords);
    const first = keywords.get(member.key);
    // Each key that is missing is a separate error; only the first of other errors about a value is reported.
    if (first !== undefined && (first !== 'required' || error.keyword !== first)) continue;
    keywords.set(member.key, error.keyword);
    problems.add(schemaProblem(error, member, origins));
  }
  for (const [mapping, keys] of broken) for (const key of keys) mapping[key] = undefined;
}

type Mapping = Readonly<Record<string, unknown>>;

type FileError = readonly [path: readonly string[], error: ErrorObject];

/**
 * The validator joins the errors of every entry to those of all before it, which takes the square of their number. So
 * entries are checked one by one; and a mapping that many aliases in a section share, and that was wrong, only once.
 */
function* fileErrors(data: Mapping, role: FileRole, validators: Validators): Generator<FileError> {
  const rest: Record<string, unknown> = Object.assign(Object.create(null), data);
  const sections = entrySections.filter((section) => isRecord(data[section]));
  for (const section of sections) rest[section] = {};
  yield* partErrors(validators[role], rest, []);
  for (const section of sections) {
    const wrong = new WeakSet<object>();
    for (const { data: part, value } of entries(section, data[section] as Mapping)) {
      // A mapping is repaired in place, for all that share it.
      if (isRecord(value) && wrong.has(value)) continue;
      for (const found of partErrors(validators[section], part, [section])) {
        if (isRecord(value)) wrong.add(value);
        yield found;
      }
    }
  }
}

function partErrors(validate: Validator, data: unknown, path: readonly string[]): FileError[] {
  const errors = (validate(data) ? [] : (validate.errors ?? []))
    // An `if` error only means that `then` failed; the failure in `then` is a separate error.
    .filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined)
    .filter((error, _, all) => !isAboutNothing(error) && !isMisspelt(error, all));
  // A value of the wrong type breaks all the other rules too; only the first about a value is reported.
  return errors
    .sort((a, b) => Number(b.keyword === 'type') - Number(a.keyword === 'type'))
    .map((error) => [path, error]);
}

/** What an alias without an anchor left: it is named, and that it cannot be read was reported. */
function isAboutNothing({ keyword, data, params }: ErrorObject): boolean {
  return (
    data === undefined || (keyword === 'required' && Object.hasOwn(data as object, params.missingProperty))
  );
}

/** What a mapping lacks has another spelling there, or the mapping itself is misplaced; the unknown key is reported. */
function isMisspelt({ keyword, instancePath, params }: ErrorObject, errors: readonly ErrorObject[]): boolean {
  if (keyword !== 'required') return false;
  const missing = params.missingProperty;
  return errors.some(
    (other) =>
      other.keyword === 'additionalProperties' &&
      other.instancePath === instancePath &&
      (nearest(other.params.additionalProperty, [missing]) !== undefined ||
        keysOfGrants.includes(keysOfPointer(instancePath).at(-1) ?? '')),
  );
}

function* entries(section: EntrySection, all: Mapping): Generator<{ data: Mapping; value: unknown }> {
  for (const name of Object.keys(all)) {
    const value = all[name];
    const teams = section === 'team-access' && isRecord(value) ? Object.keys(value) : [];
    if (teams.length === 0) yield { data: single(name, value), value };
    for (const team of teams) {
      const grant = (value as Mapping)[team];
      yield { data: single(name, single(team, grant)), value: grant };
    }
  }
}

function single(name: string, value: unknown): Mapping {
  const data: Record<string, unknown> = Object.create(null);
  data[name] = value;
  return data;
}

function memberAt(data: unknown, start: readonly string[], error: ErrorObject): Member {
  const path = [...start, ...keysOfPointer(error.instancePath)];
  const { additionalProperty, propertyName, property } = error.params as Record<string, string | undefined>;
  const extra = additionalProperty ?? propertyName ?? property;
  if (extra !== undefined) path.push(extra);
  let member: Member = { value: data };
  for (const step of path) {
    const container = member.value as object;
    if (Array.isArray(container)) {
      const index = Number(step);
      member = { container, key: index, value: container[index], owner: member.owner };
    } else if (isRecord(container)) {
      const mapping = container as Record<string, unknown>;
      member = { container, key: step, value: mapping[step], owner: { mapping, key: step } };
    }
  }
  return extra === undefined ? member : { ...member, holder: path.at(-2) ?? '' };
}
