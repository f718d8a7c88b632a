/** What a service may lack, by its name under `service.without`, with the words for messages. */
export const features = {
  'remote-state-consumers': 'remote state consumers',
  'team-access': 'project team access',
  'safe-delete': 'safe delete',
  'data-retention': 'data retention policies',
  'tag-bindings': 'key/value tags',
  projects: 'projects',
  'setting-overwrites': 'setting-overwrites',
} as const;

/** What a service may lack (`service.without`). */
export type Feature = keyof typeof features;

export const featureNames = Object.keys(features) as readonly Feature[];
