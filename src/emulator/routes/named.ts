import { isRecord, type Values } from '../../model/value.ts';
import { isMember, isOwner } from '../callers.ts';
import {
  type AnsweredResource,
  nameFilter,
  pageOf,
  toMany,
  toOne,
  withIncluded,
} from '../documents/resource.ts';
import { pathPart, type Route, route, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  invalidAttribute,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import { type InputResource, readResource } from '../rules/request-document.ts';
import { type SettingsTable, shownSettings, writtenSettings } from '../rules/settings.ts';
import { idPrefixes } from '../seed/seed.ts';
import type { Collections, Store, StoredEntity } from '../store/store.ts';
import { onOrganization } from './finders.ts';

/*
 * The objects of an organization that have a name: a kind is a table of settings and relationships with what else its objects
 * have. One set of handlers lists, shows, creates, changes and removes them.
 */

type NamedCollection = keyof typeof idPrefixes;

export interface NamedKind<Name extends NamedCollection> {
  readonly collection: Name;
  readonly type: string;
  readonly settings: SettingsTable;
  readonly related?: Readonly<Record<string, 'workspaces' | 'projects'>>;
  readonly idOf?: (record: Collections[Name]) => string;
  readonly attributes?: (request: ServiceRequest, record: Collections[Name]) => object;
  readonly relationships?: (request: ServiceRequest, record: Collections[Name]) => object;
  readonly document?: (request: ServiceRequest, record: Collections[Name]) => AnsweredResource;
  readonly included?: (request: ServiceRequest, record: Collections[Name]) => Iterable<AnsweredResource>;
  readonly isVisible?: (request: ServiceRequest, record: Collections[Name]) => boolean;
  readonly order?: (request: ServiceRequest) => string;
  readonly filter?: (request: ServiceRequest) => (record: Collections[Name]) => boolean;
  /** @default whether the caller is an owner of the organization */
  readonly mayChange?: (
    request: ServiceRequest,
    record: Collections[Name],
    action: 'update' | 'delete',
  ) => boolean;
}

export interface WritableKind<Name extends NamedCollection> extends NamedKind<Name> {
  readonly names: NameRule;
  /** Whether relationships to objects of other organizations are ignored. They are refused otherwise. */
  readonly ignoresForeign?: true;
  readonly identify?: (store: Store, created: Omit<Collections[Name], 'id'>) => object;
  readonly resolve?: (input: NamedWrite<Name>) => object;
  readonly createdStatus?: number;
  readonly release?: (request: ServiceRequest, record: Collections[Name]) => void;
}

interface NameRule {
  readonly optional?: true;
  readonly pattern?: RegExp;
  readonly detail?: string;
  /** Whether two objects of an organization cannot have one name; `ignoring case`: two spellings are one. */
  readonly unique?: true | 'ignoring case';
}

export interface NamedWrite<Name extends NamedCollection> {
  readonly request: ServiceRequest;
  readonly organization: string;
  readonly resource: InputResource;
  readonly given: Values;
  readonly before: Collections[Name] | undefined;
  readonly errors: ErrorObject[];
}

export function readRoutes<Name extends NamedCollection>(kind: NamedKind<Name>): readonly Route[] {
  const { collection, type } = kind;
  return [
    onOrganization('GET', `/${type}`, 'read', (request, { id }) => {
      const { world, query } = request;
      const isNamed = nameFilter(query);
      const isWanted = kind.filter?.(request) ?? (() => true);
      const records = world.store
        .ownedBy(id, collection)
        .filter((one) => isNamed(one.name) && isWanted(one))
        .filter((one) => kind.isVisible?.(request, one) ?? true);
      const sort = query.get('sort') ?? kind.order?.(request) ?? '';
      // Without a sort, and by time, objects are in the order of their creation.
      if (sort.endsWith('name')) records.sort((a, b) => (a.name < b.name ? -1 : 1));
      if (sort.startsWith('-')) records.reverse();
      const included = (record: Collections[Name]) => kind.included?.(request, record) ?? [];
      return pageOf(request, records, (record) => namedResource(kind, request, record), included);
    }),
    ['GET', `/${type}/:id`, (request) => answerNamed(kind, request, findNamed(kind, request))],
  ];
}

export function writeRoutes<Name extends NamedCollection>(kind: WritableKind<Name>): readonly Route[] {
  const { collection, type, createdStatus = 201 } = kind;
  return [
    onOrganization('POST', `/${type}`, 'admin', (request, { id: organization }) => {
      const { store, now } = request.world;
      const resolved = resolveNamed(kind, request, organization, undefined);
      const created = { organization, createdAt: now(), ...resolved } as Omit<Collections[Name], 'id'>;
      const label = `${organization}/${resolved.name}`;
      const ids = kind.identify?.(store, created) ?? { id: store.nextId(idPrefixes[collection], label) };
      return saveNamed(kind, request, { ...created, ...ids } as Collections[Name], createdStatus);
    }),
    route('PATCH', `/${type}/:id`, (request) => {
      const before = findNamed(kind, request, 'update');
      const resolved = resolveNamed(kind, request, before.organization, before);
      return saveNamed(kind, request, { ...before, ...resolved });
    }),
    route('DELETE', `/${type}/:id`, (request) => {
      const record = findNamed(kind, request, 'delete');
      kind.release?.(request, record);
      request.world.store.remove(collection, record.id);
      return noContent;
    }),
  ];
}

export function namedResource<Name extends NamedCollection>(
  kind: NamedKind<Name>,
  request: ServiceRequest,
  record: Collections[Name],
): AnsweredResource {
  if (kind.document) return kind.document(request, record);
  const { name, organization, settings, related } = record as StoredEntity;
  const id = kind.idOf?.(record) ?? record.id;
  const relations = Object.entries(kind.related ?? {});
  const lists = relations.map(([relation, type]) => [relation, toMany(type, related?.[relation])]);
  return {
    id,
    type: kind.type,
    attributes: { name, ...shownSettings(kind.settings, settings), ...kind.attributes?.(request, record) },
    relationships: {
      organization: toOne('organizations', organization),
      ...Object.fromEntries(lists),
      ...kind.relationships?.(request, record),
    },
    links: { self: `/api/v2/${kind.type}/${id}` },
  };
}

function answerNamed<Name extends NamedCollection>(
  kind: NamedKind<Name>,
  request: ServiceRequest,
  record: Collections[Name],
  status = 200,
): Answer {
  const included = withIncluded(request, [record], () => kind.included?.(request, record) ?? []);
  return json(status, { data: namedResource(kind, request, record), ...included });
}

export function saveNamed<Name extends NamedCollection>(
  kind: NamedKind<Name>,
  request: ServiceRequest,
  record: Collections[Name],
  status = 200,
): Answer {
  request.world.store.put(kind.collection, record);
  return answerNamed(kind, request, record, status);
}

export function findNamed<Name extends NamedCollection>(
  { collection, isVisible, idOf, mayChange }: NamedKind<Name>,
  request: ServiceRequest,
  action?: 'update' | 'delete',
): Collections[Name] {
  const { store } = request.world;
  const id = pathPart(request, 'id');
  const record = idOf ? store.all(collection).find((one) => idOf(one) === id) : store.get(collection, id);
  if (!record || !isMember(request.caller, record.organization)) throw notFound();
  if (isVisible?.(request, record) === false) throw notFound();
  if (action && !(mayChange?.(request, record, action) ?? isOwner(request.caller, record.organization)))
    throw notFound();
  return record;
}

function resolveNamed<Name extends NamedCollection>(
  kind: WritableKind<Name>,
  request: ServiceRequest,
  organization: string,
  before: Collections[Name] | undefined,
): Partial<StoredEntity> {
  const { store } = request.world;
  const resource = readResource(request.body, kind.type);
  const errors: ErrorObject[] = [];
  const others = store.ownedBy(organization, kind.collection).filter((one) => one.id !== before?.id);
  const { name: written = before?.name } = resource.attributes;
  const name = readName(kind.names, written, others, errors);
  const given = writtenSettings(kind.settings, resource.attributes, errors);
  const related = Object.entries(kind.related ?? {}).flatMap(([relation, target]) => {
    const ids = givenIds(resource, relation);
    const own = ids?.filter((id) => store.get(target, id)?.organization === organization);
    if (own?.length !== ids?.length && !kind.ignoresForeign)
      errors.push(invalid(`/data/relationships/${relation}`, `must name ${target} of this organization`));
    return own ? [[relation, own]] : [];
  });
  const more = kind.resolve?.({ request, organization, resource, given, before, errors });
  refuseInvalid(errors);
  return {
    name,
    settings: { ...before?.settings, ...given },
    related: { ...before?.related, ...Object.fromEntries(related) },
    ...more,
  };
}

function givenIds(resource: InputResource, name: string): readonly string[] | undefined {
  const relationship = resource.relationships[name];
  if (!isRecord(relationship) || !('data' in relationship)) return undefined;
  const data = Array.isArray(relationship.data) ? relationship.data : [];
  return data.flatMap((item: unknown) => (isRecord(item) && typeof item.id === 'string' ? [item.id] : []));
}

function readName(
  { optional, pattern, detail = '', unique }: NameRule,
  name: unknown,
  others: readonly StoredEntity[],
  errors: ErrorObject[],
): string {
  if (optional) return typeof name === 'string' ? name : '';
  if (typeof name !== 'string' || name.trim() === '') {
    errors.push(invalidAttribute('name', "Name can't be blank"));
    return '';
  }
  if (pattern?.test(name) === false) errors.push(invalidAttribute('name', detail));
  const key = (text: string) => (unique === 'ignoring case' ? text.toLowerCase() : text);
  if (unique && others.some((other) => key(other.name) === key(name)))
    errors.push(invalidAttribute('name', 'Name has already been taken'));
  return name;
}
