import type { Dialect } from '../../model/dialect.ts';
import { isRecord } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/rejection.ts';
import type { InputResource } from './documents.ts';
import { storedTagName, tagNameProblem } from './tag-names.ts';

/** What the tag relationships of a workspace say; undefined where they are not given. */
export interface RelatedTags {
  readonly tags: readonly string[] | undefined;
  readonly bindings: Readonly<Record<string, string | null>> | undefined;
  readonly errors: ErrorObject[];
}

/** The live service takes flat tags with a create, and key-value tags with both writes. The interface document neither. */
export function readRelatedTags(resource: InputResource, dialect: Dialect): RelatedTags {
  if (dialect === 'iac') return { tags: undefined, bindings: undefined, errors: [] };
  const errors: ErrorObject[] = [];
  const tags = attributesOf(resource, 'tags')?.map((attributes, index) => {
    const name = storedTagName(String(attributes.name ?? ''), dialect);
    const problem = tagNameProblem(name, dialect);
    if (problem) errors.push(invalid(`/data/relationships/tags/data/${index}/attributes/name`, problem));
    return name;
  });
  const bindings = attributesOf(resource, 'tag-bindings');
  return { tags: tags && [...new Set(tags)], bindings: bindings && readBindings(bindings, errors), errors };
}

const mostBindings = 10;

export function readBindings(
  entries: readonly Readonly<Record<string, unknown>>[],
  errors: ErrorObject[],
  before: Readonly<Record<string, string | null>> = {},
): Record<string, string | null> {
  const bindings: Record<string, string | null> = { ...before };
  for (const { key, value } of entries) {
    if (typeof key !== 'string' || !/^[\w.=+@:-]{1,128}$/.test(key)) {
      errors.push(
        invalid(
          '/data/relationships/tag-bindings',
          'a key must have 1 to 128 letters, numbers or _ . = + - @ :',
        ),
      );
    } else {
      bindings[key] = typeof value === 'string' && value !== '' ? value : null;
    }
  }
  if (Object.keys(bindings).length > mostBindings) {
    errors.push(
      invalid('/data/relationships/tag-bindings', `cannot exceed ${mostBindings} bindings per resource`),
    );
  }
  return bindings;
}

function attributesOf(
  resource: InputResource,
  name: string,
): readonly Readonly<Record<string, unknown>>[] | undefined {
  const relationship = resource.relationships[name];
  if (!isRecord(relationship) || !Array.isArray(relationship.data)) return undefined;
  return relationship.data.map((item: unknown) =>
    isRecord(item) && isRecord(item.attributes) ? item.attributes : {},
  );
}
