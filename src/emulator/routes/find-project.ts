import { isMember } from '../callers.ts';
import { notFound } from '../http/rejection.ts';
import { pathPart, type ServiceRequest } from '../http/service-request.ts';
import type { ProjectRecord } from '../store/records.ts';

/** The project that the path names. One of an organization that the caller does not belong to is not found. */
export function findProject(request: ServiceRequest): ProjectRecord {
  const project = request.world.store.get('projects', pathPart(request, 'id'));
  if (!project || !isMember(request.caller, project.organization)) throw notFound();
  return project;
}
