import { type Diagnostic, problem, type SourceLocation } from '../../model/diagnostic.ts';
import { listed, nearest, quote } from '../../model/text.ts';
import { locateKey, locateStart, locateValue, type Origins } from '../files/source.ts';
import type { Member, SchemaError } from './schema.ts';
import { typeProblem } from './type-problem.ts';
import { unknownKey } from './unknown-key.ts';

type ProblemText = Pick<Diagnostic, 'code' | 'message' | 'hint'>;

/** The problem for an error of the schema validator, in the terms of the configuration language. */
export function schemaProblem(error: SchemaError, member: Member, origins: Origins): Diagnostic {
  const at = { key: keyPlace(member, origins), value: valuePlace(member, origins) };
  const name = memberName(member);
  const report = ({ code, message, hint }: ProblemText, location: SourceLocation) =>
    problem(code, message, { at: location, hint });
  switch (error.keyword) {
    case 'additionalProperties':
      return report(unknownKey(error, member), at.key);
    case 'propertyNames':
      return report(invalidName(member), at.key);
    case 'required':
      return report(missingKey(error, name), at.key);
    case 'type':
      return report(
        { ...typeProblem(error, member, { name, origins }), ...patternHint(error, member, name) },
        at.value,
      );
    case 'pattern':
      return report(patternProblem(member, name), at.value);
    default:
      return report({ code: 'bad-value', ...valueProblem(error, member, name) }, at.value);
  }
}

function keyPlace({ container, key, value }: Member, origins: Origins): SourceLocation {
  if (container === undefined || key === undefined) return locateStart(origins, value as object);
  return typeof key === 'number' ? locateValue(origins, container, key) : locateKey(origins, container, key);
}

function valuePlace(member: Member, origins: Origins): SourceLocation {
  const { container, key } = member;
  if (container === undefined || key === undefined) return keyPlace(member, origins);
  return locateValue(origins, container, key);
}

/** How a message calls a value: by its key, or as an entry of that key's list. */
function memberName({ key, owner }: Member): string {
  if (owner === undefined) return 'the file';
  return typeof key === 'number' ? `an entry of ${quote(owner.key)}` : quote(owner.key);
}

function missingKey(error: SchemaError, name: string): ProblemText {
  const missing = String(error.params.missingProperty);
  const hint =
    missing === 'attune'
      ? 'start the file with "attune: 1"'
      : missing === 'organization'
        ? 'add the organization that the file declares: "organization: acme"'
        : `add "${missing}: ..."`;
  return problem('missing-key', `${name} requires the key ${quote(missing)}`, { hint });
}

/** A key that cannot be a name, or a value that cannot be the name of a workspace. */
function invalidName({ key, value, holder }: Member): ProblemText {
  if (holder !== undefined && holder !== 'workspaces')
    return problem('invalid-name', `invalid alias ${quote(key)}`, {
      hint: 'remove "/", which separates project and team in addresses',
    });
  const name = holder === undefined ? value : key;
  return problem('invalid-name', `invalid workspace name ${quote(name)}`, {
    hint: 'use letters, digits, "-" and "_"',
  });
}

/** A value that does not have the pattern of its key. */
function patternProblem(member: Member, name: string): ProblemText {
  const { key, owner, value } = member;
  const known = patternProblems.get(owner?.key ?? '');
  if (known) return known(name, value);
  const problem = invalidName(member);
  if (typeof key !== 'number' || !String(value).includes('*')) return problem;
  const hint =
    owner?.key === 'adopt'
      ? 'write each name: scope.adopt has no patterns'
      : `write a selector: {name: ${quote(value)}}`;
  return { ...problem, hint };
}

/** The hint for a number that would not have the pattern of its key in quotes either. */
function patternHint({ parentSchema }: SchemaError, member: Member, name: string): Pick<Diagnostic, 'hint'> {
  const { value } = member;
  const pattern: unknown = parentSchema?.pattern;
  if (typeof value !== 'number' || typeof pattern !== 'string') return {};
  return new RegExp(pattern, 'u').test(String(value)) ? {} : { hint: patternProblem(member, name).hint };
}

type PatternProblem = (name: string, value: unknown) => ProblemText;

const patternProblems: ReadonlyMap<string, PatternProblem> = new Map(
  Object.entries<PatternProblem>({
    'auto-destroy-activity-duration': cannotBe(
      'bad-duration',
      'write one to four digits, not all zero, and d (days) or h (hours): 14d',
    ),
    'auto-destroy-at': cannotBe('bad-timestamp', 'write date, time and time zone: 2026-01-31T18:00:00Z'),
    until: badMoment,
    from: badMoment,
    to: badMoment,
    for: cannotBe(
      'bad-duration',
      'write a number, not zero, and m (minutes), h (hours), d (days) or w (weeks): 60h',
    ),
    cron: cannotBe(
      'bad-value',
      'write minute, hour, day of month, month and day of week: "0 18 * * 5"',
      'it has not five parts',
    ),
    protect: wrongPattern,
    name: wrongPattern,
    names: wrongPattern,
    except: wrongPattern,
    tag: tagWithPattern,
    tags: tagWithPattern,
    address: cannotBe(
      'bad-value',
      'write https://<host> without /api/v2, user or query; or the word embedded',
    ),
    organization: (_name, value) =>
      problem('bad-value', `invalid organization name ${quote(value)}`, {
        hint: 'write the name from the URL of the organization, without spaces, slashes and control characters',
      }),
    id: (_name, value) =>
      problem('invalid-name', `invalid id ${quote(value)}`, {
        hint: 'write it in kebab-case, as prod-no-auto-apply',
      }),
    'url-env': (name) => notAVariable(name, 'url-env: SLACK_URL'),
    'secret-env': (name) => notAVariable(name, 'secret-env: WEBHOOK_SECRET'),
    include: (_name, value) =>
      problem('bad-value', `cannot include ${quote(value)}: patterns that exclude files are not supported`, {
        hint: 'list the files to include',
      }),
  }),
);

function cannotBe(code: string, hint: string, why?: string): PatternProblem {
  const reason = why === undefined ? '' : `: ${why}`;
  return (name, value) => problem(code, `${name} cannot be ${quote(value)}${reason}`, { hint });
}

function wrongPattern(_name: string, value: unknown): ProblemText {
  return problem('invalid-name', `invalid workspace name ${quote(value)}`, {
    hint: 'use letters, digits, "-" and "_"; "*" is any run of characters',
  });
}

function tagWithPattern(name: string, value: unknown): ProblemText {
  return cannotBe('bad-value', 'write each tag', 'only names have patterns')(name, value);
}

/** The value can be the secret itself. */
function notAVariable(name: string, example: string): ProblemText {
  return problem('bad-value', `${name} is not the name of an environment variable`, {
    hint: `set an environment variable to the value, and write its name: "${example}"`,
  });
}

/** What a date or time lacks. */
function badMoment(name: string, value: unknown): ProblemText {
  const written = String(value);
  const why = /^\d{1,2}[-./]\d{1,2}$/.test(written)
    ? 'the year is missing'
    : /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(written)
      ? 'the time zone is missing'
      : /^\d{1,2}:\d{2}/.test(written)
        ? 'the date is missing'
        : undefined;
  const hint =
    'write a date (2026-12-31), or a time with its zone (2026-12-31T18:00:00Z or 2026-12-31T18:00:00+01:00)';
  return cannotBe('bad-timestamp', hint, why)(name, value);
}

type Text = Pick<Diagnostic, 'message' | 'hint'>;

function valueProblem(error: SchemaError, { value }: Member, name: string): Text {
  const { keyword, params } = error;
  switch (keyword) {
    case 'enum': {
      const allowed = (params.allowedValues as readonly unknown[]).map(String);
      return { message: `${name} cannot be ${quote(value)}`, hint: enumHint(String(value), allowed) };
    }
    case 'const':
      return constProblem(value, params.allowedValue, name);
    case 'minLength':
      return { message: `${name} cannot be empty`, hint: 'write a value, or remove the line' };
    case 'minItems':
      return {
        message: `${name} cannot be an empty list: it would match nothing`,
        hint: 'remove the line to match all',
      };
    case 'uniqueItems':
      return {
        message: `${name} has ${quote((value as readonly unknown[])[params.j])} twice`,
        hint: 'remove one of them',
      };
    case 'minProperties':
    case 'maxProperties':
      return propertyCountProblem(error, name);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
      return { message: `${name} cannot be ${quote(value)}`, hint: boundsHint(error) };
    default:
      return {
        message: `${name} ${error.message ?? 'is not allowed'}`,
        hint: 'see schemas/attune.schema.json for the allowed values',
      };
  }
}

function enumHint(written: string, allowed: readonly string[]): string {
  if (allowed.length === 1) return `write ${allowed[0]}, or remove the line`;
  const near = nearest(written, allowed);
  return near === undefined
    ? `use ${listed(allowed)}`
    : `did you mean ${quote(near)}? Allowed values: ${listed(allowed)}`;
}

function constProblem(value: unknown, allowed: unknown, name: string): Text {
  const hint = `write ${quote(allowed)}`;
  if (name !== '"attune"') return { message: `${name} cannot be ${quote(value)}`, hint };
  return {
    message: `this version of Attune does not support version ${quote(value)} of the configuration language`,
    hint,
  };
}

interface Bounds {
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

function boundsHint(error: SchemaError): string {
  const { type, minimum, exclusiveMinimum, maximum } = error.parentSchema as Bounds;
  const number = type === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMinimum !== undefined) return `write ${number} above ${exclusiveMinimum}`;
  return maximum === undefined
    ? `write ${number}, ${minimum} or more`
    : `write ${number} from ${minimum} to ${maximum}`;
}

function propertyCountProblem(error: SchemaError, name: string): Text {
  const keys = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
  // A bound without properties is that of `exactly`, which allows no key beside it.
  if (keys.length === 0)
    return { message: `${name} combines "exactly" with other keys`, hint: 'remove the other keys' };
  const one = error.parentSchema?.maxProperties === 1;
  return {
    message: `${name} requires ${one ? 'exactly one' : 'at least one'} of the keys ${listed(keys)}`,
    hint: `write ${listed(keys.map((key) => `{${key}: ...}`))}`,
  };
}
