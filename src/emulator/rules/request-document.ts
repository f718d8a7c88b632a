import { isRecord } from '../../model/value.ts';
import { type ErrorObject, invalid, refuseInvalid, reject } from '../http/responses.ts';

export interface InputResource {
  readonly type: unknown;
  readonly id: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, unknown>>;
}

export function readResource(body: unknown, type: string): InputResource {
  const data = readData(body);
  if (data.type !== type) refuseInvalid([invalid('/data/type', `must be ${type}`)]);
  return readUntyped(data);
}

/** Reads `data` where the type is optional, as in an update of team access. */
export function readResourceOfAnyType(body: unknown, type: string): InputResource {
  const data = readData(body);
  return data.type === undefined ? readUntyped(data) : readResource(body, type);
}

export function readResourceList(body: unknown): readonly InputResource[] {
  if (!isRecord(body) || !Array.isArray(body.data))
    throw reject(422, 'The body must be a JSON:API document with a list under data.');
  return body.data.map((item: unknown, index) => {
    if (!isRecord(item)) {
      refuseInvalid([invalid(`/data/${index}`, 'must be an object')]);
      return readUntyped({});
    }
    return readUntyped(item, `/data/${index}`);
  });
}

export function relationErrors(resource: InputResource, name: string, type: string): ErrorObject[] {
  const pointer = `/data/relationships/${name}`;
  const relationship = resource.relationships[name] ?? {};
  if (!isRecord(relationship)) return [invalid(pointer, 'must be an object')];
  const data = relationship.data ?? {};
  if (!isRecord(data)) return [invalid(`${pointer}/data`, 'must be an object')];
  const { id = null } = data;
  if (id === null || id === '') return [];
  return [
    data.type === type ? [] : invalid(`${pointer}/data/type`, `must be ${type}`),
    typeof id === 'string' ? [] : invalid(`${pointer}/data/id`, 'must be a string'),
  ].flat();
}

export function givenId(resource: InputResource, name: string): string | undefined {
  const relationship = resource.relationships[name];
  const data = isRecord(relationship) ? relationship.data : undefined;
  return isRecord(data) && typeof data.id === 'string' && data.id !== '' ? data.id : undefined;
}

function readData(body: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(body) && isRecord(body.data)) return body.data;
  throw reject(422, 'The body must be a JSON:API document with a resource under data.');
}

function readUntyped(data: Readonly<Record<string, unknown>>, pointer = '/data'): InputResource {
  const attributes = data.attributes ?? {};
  const relationships = data.relationships ?? {};
  refuseInvalid(
    Object.entries({ attributes, relationships }).flatMap(([key, value]) =>
      isRecord(value) ? [] : [invalid(`${pointer}/${key}`, 'must be an object')],
    ),
  );
  return {
    type: data.type,
    id: data.id,
    attributes: isRecord(attributes) ? attributes : {},
    relationships: isRecord(relationships) ? relationships : {},
  };
}
