import { isRecord } from '../../model/value.ts';
import { isOwner } from '../callers.ts';
import { type ErrorObject, invalid, notFound } from '../http/answer.ts';
import type { ServiceRequest } from '../http/router.ts';
import type { InputResource } from '../rules/request-document.ts';
import type { StoredEntity, StoredOrganization } from '../store/records.ts';
import { findRequestedOrganization } from './find.ts';

/** The organization in the path, for its owners. */
export function findOwned(request: ServiceRequest): StoredOrganization {
  const organization = findRequestedOrganization(request);
  if (!isOwner(request.caller, organization.id)) throw notFound();
  return organization;
}

export function refuseOthers(request: ServiceRequest, record: StoredEntity | undefined): asserts record {
  if (!record || !isOwner(request.caller, record.organization)) throw notFound();
}

export interface NameRule {
  /** Records whose names are taken; the record's own is ignored. */
  readonly taken: readonly StoredEntity[];
  readonly before?: StoredEntity;
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

/** The ids of a to-many relationship; undefined if it is absent. */
export function givenIds(resource: InputResource, name: string): readonly string[] | undefined {
  const relationship = resource.relationships[name];
  if (!isRecord(relationship) || !('data' in relationship)) return undefined;
  const data = Array.isArray(relationship.data) ? relationship.data : [];
  return data.flatMap((item: unknown) => (isRecord(item) && typeof item.id === 'string' ? [item.id] : []));
}
