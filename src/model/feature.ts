/** Features that a service may lack (`service.without`). */
export type Feature =
  | 'remote-state-consumers'
  | 'team-access'
  | 'safe-delete'
  | 'data-retention'
  | 'tag-bindings'
  | 'projects'
  | 'setting-overwrites';

/** The name of each feature in messages. */
export const features: Readonly<Record<Feature, string>> = {
  'remote-state-consumers': 'remote state consumers',
  'team-access': 'project team access',
  'safe-delete': 'safe delete',
  'data-retention': 'data retention policies',
  'tag-bindings': 'key/value tags',
  projects: 'projects',
  'setting-overwrites': 'setting-overwrites',
};

export const featureNames = Object.keys(features) as readonly Feature[];
