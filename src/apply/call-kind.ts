import type { Call } from '../model/plan.ts';

/**
 * What a call does, read off its method and path, so that a plan stays plain data. The order matters: what comes first
 * here is started first where nothing else decides.
 */
export const callKinds = [
  'create-workspace',
  'unlock',
  'update-workspace',
  'tags',
  'consumers',
  'ssh-key',
  'data-retention',
  'create-grant',
  'update-grant',
  'delete-grant',
  'lock',
  'delete-workspace',
] as const;
export type CallKind = (typeof callKinds)[number];

const patterns: readonly (readonly [CallKind, RegExp])[] = [
  ['create-workspace', /^POST \/organizations\/[^/]+\/workspaces$/],
  ['unlock', /^POST \/workspaces\/[^/]+\/actions\/unlock$/],
  ['update-workspace', /^PATCH \/workspaces\/[^/]+$/],
  ['tags', /^(POST|DELETE) \/workspaces\/[^/]+\/relationships\/tags$/],
  ['consumers', /^(POST|PATCH|DELETE) \/workspaces\/[^/]+\/relationships\/remote-state-consumers$/],
  ['ssh-key', /^PATCH \/workspaces\/[^/]+\/relationships\/ssh-key$/],
  ['data-retention', /^(POST|DELETE) \/workspaces\/[^/]+\/relationships\/data-retention-policy$/],
  ['create-grant', /^POST \/team-projects$/],
  ['update-grant', /^PATCH \/team-projects\/[^/]+$/],
  ['delete-grant', /^DELETE \/team-projects\/[^/]+$/],
  ['lock', /^POST \/workspaces\/[^/]+\/actions\/lock$/],
  ['delete-workspace', /^(POST \/workspaces\/[^/]+\/actions\/safe-delete|DELETE \/workspaces\/[^/]+)$/],
];

/** `undefined` for a call that no plan of ours holds. */
export function callKind({ method, path }: Call): CallKind | undefined {
  return patterns.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0];
}
