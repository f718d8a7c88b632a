import { parse } from 'yaml';

/** The rows of a table of test cases: a list in YAML with a case per line. A backslash is one of YAML. */
export function rowsIn<T>({ raw }: TemplateStringsArray): readonly T[] {
  return parse(raw.join('').replaceAll('\\`', '`'));
}
