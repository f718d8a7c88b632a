import { listed } from './nearest.ts';
import { type Origins, writtenValue } from './origins.ts';
import type { Problem } from './problems.ts';
import { quote } from './quote.ts';
import type { SchemaError } from './schema.ts';
import type { Member } from './validate.ts';

type Text = Omit<Problem, 'location'>;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

/** A value of the wrong type: with what YAML made of it where that is the surprise. */
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
    const text = unquoted(value, written, `${name} has to be ${wanted}`);
    return version ? { code: 'unquoted-version', ...text } : { code: 'wrong-type', ...text };
  }
  const message = `${name} has to be ${wanted}, not ${quote(value)}`;
  return { code: 'wrong-type', message, hint: typeHint(error, value, types) };
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
    return {
      code: 'null-not-allowed',
      message: `${name} cannot be null; write {} to leave everything in it alone`,
      hint: 'or remove the line',
    };
  const write = values
    ? listed(values)
    : types.includes('array')
      ? '[] to empty it'
      : types.includes('boolean')
        ? 'true or false'
        : 'a value';
  return {
    code: 'null-not-allowed',
    message: `${name} cannot be null: there is nothing to clear; write ${write}`,
    hint: 'remove the line to leave it alone',
  };
}

const flagWords: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  false: false,
  no: false,
  off: false,
};

function typeHint(error: SchemaError, value: unknown, types: readonly string[]): string | undefined {
  if (error.schemaPath.includes('layer-tags'))
    return 'defaults and templates hold plain lists of tags; exactly, add and remove stand at workspaces';
  if (typeof value !== 'string') return undefined;
  if (types.includes('boolean')) {
    const flag = flagWords[value.toLowerCase()];
    return flag === undefined ? undefined : `write ${flag}, without quotes`;
  }
  if (types.includes('array') && value !== '') return `write [${value.includes(',') ? quote(value) : value}]`;
  const number = types.includes('integer') || types.includes('number');
  return number && value.trim() !== '' && Number.isFinite(Number(value))
    ? `write ${value.trim()}, without quotes`
    : undefined;
}
