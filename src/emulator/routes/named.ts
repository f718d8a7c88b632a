import { isMember, isOwner } from '../callers.ts';
import type { AnsweredResource } from '../documents/answered-resource.ts';
import { nameFilter, pageOf, withIncluded } from '../documents/pages.ts';
import { type Answer, type ErrorObject, invalid, json, noContent, notFound } from '../http/responses.ts';
import { type Handler, pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import type { InputResource } from '../rules/request-document.ts';
import { idPrefixes } from '../seed/seed-scope.ts';
import type { Collections, StoredEntity } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { findOwned, findRequestedOrganization } from './find-requested.ts';

/** The collections whose records have a name and belong to an organization. */
type NamedCollection = keyof typeof idPrefixes;

/** How objects of one kind are found and shown. */
export interface NamedKind<Name extends NamedCollection> {
  readonly collection: Name;
  /** Their type, which is also their name in paths. */
  readonly type: string;
  readonly resource: (request: ServiceRequest, record: Collections[Name]) => AnsweredResource;
  readonly included?: (request: ServiceRequest, record: Collections[Name]) => Iterable<AnsweredResource>;
  readonly isVisible?: (request: ServiceRequest, record: Collections[Name]) => boolean;
  /** The order without `sort`. */
  readonly order?: (request: ServiceRequest) => string;
  /** Filters of this list only. */
  readonly filter?: (request: ServiceRequest) => (record: Collections[Name]) => boolean;
  /** @default the record with the id */
  readonly byId?: (store: Store, id: string) => Collections[Name] | undefined;
}

type Resolved<Name extends NamedCollection> = Omit<Collections[Name], 'id' | 'organization' | 'createdAt'>;

/** How objects of one kind are written. Only the live service has the endpoints. */
export interface WritableKind<Name extends NamedCollection> extends NamedKind<Name> {
  /** The values after a write. Throws if they break a rule. */
  readonly resolve: (
    request: ServiceRequest,
    organization: string,
    before: Collections[Name] | undefined,
  ) => Resolved<Name>;
  /** Whether the time of a creation is stored. */
  readonly isDated?: true;
  /** @default 201 */
  readonly createdStatus?: number;
  /** @default whether the caller is an owner of the organization */
  readonly mayChange?: (
    request: ServiceRequest,
    record: Collections[Name],
    action: 'update' | 'delete',
  ) => boolean;
  /** Refuses to delete an object that is in use, or removes it from what uses it. */
  readonly release?: (request: ServiceRequest, record: Collections[Name]) => void;
}

const ofOrganization = '/organizations/:organization';

export function readRoutes<Name extends NamedCollection>(kind: NamedKind<Name>): readonly Route[] {
  return [
    ['GET', `${ofOrganization}/${kind.type}`, listNamed(kind)],
    ['GET', `/${kind.type}/:id`, show(kind)],
  ];
}

export function writeRoutes<Name extends NamedCollection>(kind: WritableKind<Name>): readonly Route[] {
  return [
    ['POST', `${ofOrganization}/${kind.type}`, create(kind)],
    ['PATCH', `/${kind.type}/:id`, update(kind)],
    ['DELETE', `/${kind.type}/:id`, removeNamed(kind)],
  ];
}

/** GET of all objects of one kind in an organization, with the filters by name. */
export function listNamed<Name extends NamedCollection>(kind: NamedKind<Name>): Handler {
  const { collection, resource, isVisible } = kind;
  return (request) => {
    const { world, query } = request;
    const organization = findRequestedOrganization(request);
    const isNamed = nameFilter(query);
    const isWanted = kind.filter?.(request) ?? (() => true);
    const records = world.store
      .all(collection)
      .filter((record) => record.organization === organization.id)
      .filter((record) => (isVisible?.(request, record) ?? true) && isNamed(record.name))
      .filter(isWanted);
    const sort = query.get('sort') ?? kind.order?.(request) ?? '';
    // Without a sort, and by time, objects are in the order of their creation.
    if (sort.endsWith('name')) records.sort((a, b) => (a.name < b.name ? -1 : 1));
    if (sort.startsWith('-')) records.reverse();
    return pageOf(
      request,
      records,
      (record) => resource(request, record),
      (record) => kind.included?.(request, record) ?? [],
    );
  };
}

function show<Name extends NamedCollection>(kind: NamedKind<Name>): Handler {
  return (request) => answerWith(kind, request, findNamed(kind, request));
}

function create<Name extends NamedCollection>(kind: WritableKind<Name>): Handler {
  return (request) => {
    const { world } = request;
    const organization = findOwned(request).id;
    const resolved = kind.resolve(request, organization, undefined);
    const id = world.store.nextId(idPrefixes[kind.collection], `${organization}/${resolved.name}`);
    const record = { id, organization, ...(kind.isDated && { createdAt: world.now() }), ...resolved };
    return saveNamed(kind, request, record as unknown as Collections[Name], kind.createdStatus ?? 201);
  };
}

function update<Name extends NamedCollection>(kind: WritableKind<Name>): Handler {
  return (request) => {
    const before = findToChange(kind, request, 'update');
    return saveNamed(kind, request, { ...before, ...kind.resolve(request, before.organization, before) });
  };
}

export function removeNamed<Name extends NamedCollection>(
  kind: Omit<WritableKind<Name>, 'resolve'>,
): Handler {
  return (request) => {
    const record = findToChange(kind, request, 'delete');
    kind.release?.(request, record);
    request.world.store.remove(kind.collection, record.id);
    return noContent;
  };
}

/** Stores an object and answers with it. */
export function saveNamed<Name extends NamedCollection>(
  kind: NamedKind<Name>,
  request: ServiceRequest,
  record: Collections[Name],
  status = 200,
): Answer {
  request.world.store.put(kind.collection, record);
  return answerWith(kind, request, record, status);
}

function answerWith<Name extends NamedCollection>(
  kind: NamedKind<Name>,
  request: ServiceRequest,
  record: Collections[Name],
  status = 200,
): Answer {
  const included = withIncluded(request, [record], () => kind.included?.(request, record) ?? []);
  return json(status, { data: kind.resource(request, record), ...included });
}

/** The object in the path; 404 if the caller may not see it. */
export function findNamed<Name extends NamedCollection>(
  { collection, byId, isVisible }: NamedKind<Name>,
  request: ServiceRequest,
): Collections[Name] {
  const { store } = request.world;
  const id = pathPart(request, 'id');
  const record = byId ? byId(store, id) : store.get(collection, id);
  if (!record || !isMember(request.caller, record.organization)) throw notFound();
  if (isVisible?.(request, record) === false) throw notFound();
  return record;
}

/** The object in the path; 404 if the caller may not change it. */
export function findToChange<Name extends NamedCollection>(
  kind: Omit<WritableKind<Name>, 'resolve'>,
  request: ServiceRequest,
  action: 'update' | 'delete',
): Collections[Name] {
  const record = findNamed(kind, request);
  const mayChange = kind.mayChange?.(request, record, action) ?? isOwner(request.caller, record.organization);
  if (!mayChange) throw notFound();
  return record;
}

interface NameRule {
  /** Records whose names are taken; the record's own is ignored. */
  readonly taken: readonly StoredEntity[];
  readonly before?: StoredEntity | undefined;
  readonly pattern?: RegExp;
  readonly detail?: string;
  /** Whether names are compared without case. */
  readonly ignoreCase?: boolean;
}

/** The name in a write, or the former one, with the errors of it. */
export function readName(resource: InputResource, rule: NameRule): { name: string; errors: ErrorObject[] } {
  const { name = rule.before?.name } = resource.attributes;
  const pointer = '/data/attributes/name';
  if (typeof name !== 'string' || name.trim() === '') {
    return { name: '', errors: [invalid(pointer, "Name can't be blank")] };
  }
  const errors: ErrorObject[] = [];
  if (rule.pattern?.test(name) === false) errors.push(invalid(pointer, rule.detail ?? 'Name is invalid'));
  const key = (text: string) => (rule.ignoreCase ? text.toLowerCase() : text);
  if (rule.taken.some((other) => other.id !== rule.before?.id && key(other.name) === key(name))) {
    errors.push(invalid(pointer, 'Name has already been taken'));
  }
  return { name, errors };
}
