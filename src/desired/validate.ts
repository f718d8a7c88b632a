import { isRecord } from '../model/value.ts';
import type { Origins } from './origins.ts';
import type { Problems } from './problems.ts';
import { type FileRole, type SchemaError, schemaErrors } from './schema.ts';
import { schemaProblem } from './schema-problem.ts';

/** A value and the mapping or list that holds it; neither for the whole file. */
export interface Member {
  readonly container?: object;
  readonly key?: string | number;
  readonly value: unknown;
  /** Where the key itself is wrong: the section whose key it is. */
  readonly holder?: string;
  /** The nearest key above (or at) the value, and its mapping. */
  readonly owner?: { readonly mapping: Record<string, unknown>; readonly key: string };
}

/**
 * Holds one file's data against the schema, reports what is wrong, and takes the wrong values out, so that the checks
 * after it look at everything that is right. A wrong value leaves `undefined` under its key: it is named, unlike a
 * missing one, but says nothing.
 */
export function validateFile(
  data: unknown,
  role: FileRole,
  context: { readonly origins: Origins; readonly problems: Problems },
): void {
  const errors = [...schemaErrors(data, role)]
    // An `if` error only says that `then` failed, and what failed there is an error of its own.
    .filter(({ keyword, propertyName }) => keyword !== 'if' && propertyName === undefined)
    // A value of the wrong type breaks all the other rules too; only the first about a value is told.
    .sort((a, b) => Number(b.keyword === 'type') - Number(a.keyword === 'type'));
  const told = new Map<unknown, Set<string | number | undefined>>();
  const broken: NonNullable<Member['owner']>[] = [];
  for (const error of errors) {
    const member = memberAt(data, error);
    const keys = told.get(member.container) ?? new Set();
    told.set(member.container, keys);
    if (keys.has(member.key)) continue;
    keys.add(member.key);
    context.problems.add(schemaProblem(error, member, context.origins));
    if (member.owner) broken.push(member.owner);
  }
  for (const { mapping, key } of broken) mapping[key] = undefined;
}

/** What an error is about: for an unknown key that key, else the value at the error's path. */
function memberAt(data: unknown, error: SchemaError): Member {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const { additionalProperty, propertyName } = error.params as Record<string, string | undefined>;
  const extra = additionalProperty ?? propertyName;
  if (extra !== undefined) path.push(extra);
  let member: Member = { value: data };
  for (const step of path) {
    const container = member.value as object;
    if (Array.isArray(container)) {
      const index = Number(step);
      member = {
        container,
        key: index,
        value: container[index],
        ...(member.owner && { owner: member.owner }),
      };
    } else if (isRecord(container)) {
      const mapping = container as Record<string, unknown>;
      member = { container, key: step, value: mapping[step], owner: { mapping, key: step } };
    }
  }
  return propertyName === undefined ? member : { ...member, holder: path.at(-2) ?? '' };
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
