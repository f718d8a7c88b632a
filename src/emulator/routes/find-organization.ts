import { isMember } from '../callers.ts';
import { notFound } from '../http/rejection.ts';
import { pathPart, type ServiceRequest } from '../http/service-request.ts';
import type { OrganizationRecord } from '../store/records.ts';

/** The organization that the path names. One that the caller does not belong to is not found. */
export function findOrganization(request: ServiceRequest): OrganizationRecord {
  const organization = request.world.store.get('organizations', pathPart(request, 'organization'));
  if (!organization || !isMember(request.caller, organization.id)) throw notFound();
  return organization;
}
