import { type Diagnostic, problem } from '../../model/diagnostic.ts';
import { listed, quote } from '../../model/text.ts';
import { type Origins, writtenValue } from '../files/source.ts';
import type { Member, SchemaError } from './schema.ts';

type Text = Pick<Diagnostic, 'code' | 'message' | 'hint'>;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

/** A value of the wrong type, with the value that YAML parsed if it differs from the text. */
export function typeProblem(
  error: SchemaError,
  member: Member,
  context: { readonly name: string; readonly origins: Origins },
): Text {
  const { name, origins } = context;
  const { value, container, key } = member;
  const types = [error.params.type as string | string[]].flat();
  const wanted = listed(types.map((type) => typeNames[type] ?? type));
  if (value === null) return nullProblem(error, types, name);
  if (types.includes('string') && (typeof value === 'number' || typeof value === 'boolean')) {
    const written =
      container !== undefined && key !== undefined ? writtenValue(origins, container, key) : String(value);
    const version = member.owner?.key === 'iac-version';
    const text = unquoted(value, written, `${name} must be ${wanted}`);
    if (version) return { code: 'unquoted-version', ...text };
    // If only some words are allowed, quotes do not help.
    const words = (error.parentSchema as { enum?: readonly string[] }).enum;
    return { code: 'wrong-type', ...text, ...(words && { hint: `use ${listed(words)}` }) };
  }
  const message = `${name} must be ${wanted}, not ${quote(value)}`;
  const isQuoted =
    container !== undefined && key !== undefined && /^["']/.test(writtenValue(origins, container, key));
  return problem('wrong-type', message, { hint: typeHint(error, value, { types, isQuoted }) });
}

function unquoted(value: number | boolean, written: string, message: string): Pick<Text, 'message' | 'hint'> {
  const read =
    typeof value === 'boolean'
      ? `${written} is read as a flag`
      : String(value) === written
        ? `${written} is read as a number`
        : `${written} is read as the number ${value}`;
  return { message: `${message}: ${read}`, hint: `quote it: "${written}"` };
}

function nullProblem(error: SchemaError, types: readonly string[], name: string): Text {
  const values = (error.parentSchema as { enum?: readonly string[] }).enum;
  if (types.includes('object') && !types.includes('string') && !types.includes('array'))
    return problem('null-not-allowed', `${name} cannot be null: it is a mapping`, {
      hint: 'write {} to declare none of its keys, or remove the line',
    });
  const write = values
    ? listed(values)
    : types.includes('array')
      ? '[] to empty it'
      : types.includes('boolean')
        ? 'true or false'
        : 'a value';
  return problem('null-not-allowed', `${name} cannot be null: there is nothing to clear; write ${write}`, {
    hint: 'remove the line to leave the value unmanaged',
  });
}

const flagWords: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', 'no', 'off'].map((word) => [word, false] as const),
]);

interface Wanted {
  readonly types: readonly string[];
  /** Whether the value is written in quotes. */
  readonly isQuoted: boolean;
}

function typeHint(error: SchemaError, value: unknown, wanted: Wanted): string {
  return (typeof value === 'string' ? rewritten(value, wanted) : undefined) ?? example(error, wanted.types);
}

/** The value that a text probably means. */
function rewritten(text: string, { types, isQuoted }: Wanted): string | undefined {
  if (types.includes('boolean')) {
    const flag = flagWords.get(text.toLowerCase());
    if (flag === undefined) return undefined;
    return isQuoted ? `write ${flag}, without quotes` : `write ${flag}: YAML 1.2 reads ${text} as text`;
  }
  if (types.includes('array') && text !== '')
    return `write [${/^[a-z][\w-]*$/i.test(text) ? text : quote(text)}]`;
  const number = types.includes('integer') || types.includes('number');
  return number && text.trim() !== '' && Number.isFinite(Number(text))
    ? `write ${text.trim()}, without quotes`
    : undefined;
}

/** The form that a value of the first type has. */
function example(error: SchemaError, [type = '']: readonly string[]): string {
  const { enum: values, properties } = error.parentSchema as {
    readonly enum?: readonly string[];
    readonly properties?: object;
  };
  if (values) return `use ${listed(values)}`;
  if (type === 'array') return 'write a list: [...]';
  if (type === 'object') return `write a mapping: {${Object.keys(properties ?? {})[0] ?? '<name>'}: ...}`;
  return type === 'string' ? 'write a text: "..."' : `write ${typeNames[type] ?? type}`;
}
