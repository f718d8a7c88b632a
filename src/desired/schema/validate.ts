import type { Part } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { type SchemaError, schemaErrors } from '../../model/schema-errors.ts';
import type { Origins } from '../files/source.ts';
import type { Problems } from '../problems.ts';
import { type Member, schemaProblem } from './schema-problem.ts';

/** The published schema as it is in the package. */
export const schemaFile = 'schemas/attune.schema.json';

export type FileRole = 'root' | 'included' | 'policy-file';

/** The definition of each kind of file; the schema itself is that of a root file. */
const definitions = { root: undefined, included: 'included-file', 'policy-file': 'policy-file' } as const;

let schema: Part | undefined;

/**
 * Checks one file's data against the schema, reports the errors, and removes wrong values, so that the later checks see
 * only valid ones. A wrong value leaves `undefined` under its key, which differs from a missing key.
 */
export function validateFile(
  data: Mapping,
  role: FileRole,
  { origins, problems }: { readonly origins: Origins; readonly problems: Problems },
): void {
  schema ??= JSON.parse(readPackageFile(schemaFile)) as Part;
  const file = origins.get(data)?.source.file ?? '';
  const reported = new Map<unknown, Map<string | number | undefined, string>>();
  const broken = new Map<NonNullable<Member['owner']>['mapping'], Set<string>>();
  for (const error of schemaErrors(schema, data, definitions[role])) {
    const member = memberAt(data, error);
    const { owner } = member;
    // Each mapping that an alias gives the same list owns it, although an error in it is reported once.
    if (owner) broken.set(owner.mapping, (broken.get(owner.mapping) ?? new Set()).add(owner.key));
    const keywords = reported.get(member.container) ?? new Map<string | number | undefined, string>();
    reported.set(member.container, keywords);
    const first = keywords.get(member.key);
    // Each key that is missing is a separate error; only the first of other errors about a value is reported.
    if (first !== undefined && (first !== 'required' || error.keyword !== first)) continue;
    keywords.set(member.key, error.keyword);
    problems.addError(file, () => schemaProblem(error, member, origins));
  }
  for (const [mapping, keys] of broken) for (const key of keys) mapping[key] = undefined;
}

type Mapping = Readonly<Record<string, unknown>>;

/** What an error is about: for a key that is unknown or not allowed that key, else the value at the error's path. */
function memberAt(data: unknown, { keyword, path, key: wrong }: SchemaError): Member {
  const isOfKey = wrong !== undefined && keyword !== 'required';
  let member: Member = { value: data };
  for (const key of isOfKey ? [...path, wrong] : path) {
    const container = member.value;
    if (Array.isArray(container)) member = { ...member, container, key, value: container[Number(key)] };
    else {
      const mapping = container as Record<string, unknown>;
      const name = String(key);
      member = { container: mapping, key: name, value: mapping[name], owner: { mapping, key: name } };
    }
  }
  return isOfKey ? { ...member, holder: String(path.at(-1) ?? '') } : member;
}
