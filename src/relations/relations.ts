import type { WorkspaceRelation } from '../model/attributes.ts';
import { dataRetention } from './data-retention.ts';
import { lock } from './lock.ts';
import type { Relation, SeparateReading } from './relation.ts';
import { remoteStateConsumers } from './remote-state-consumers.ts';
import { sshKey } from './ssh-key.ts';

/** What depends on each relation of a workspace, in the order in which plans list them. */
export const relations: Readonly<Record<WorkspaceRelation, Relation>> = {
  project: {},
  'tag-bindings': {},
  tags: {},
  'remote-state-consumers': remoteStateConsumers,
  'ssh-key': sshKey,
  'data-retention': dataRetention,
  lock,
};

/** The relations that are read with a request for each workspace. */
export const separateRelations = ['remote-state-consumers', 'data-retention'] as const;
export type SeparateRelation = (typeof separateRelations)[number];

export const separateReadings: Readonly<Record<SeparateRelation, SeparateReading>> = {
  'remote-state-consumers': remoteStateConsumers.separate,
  'data-retention': dataRetention.separate,
};
