import type { WorkspaceRelation } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindings } from '../model/tag-bindings.ts';
import { sortedSet } from '../model/value.ts';
import { relatedId } from '../service/documents.ts';
import { unusableWorkspace } from '../service/wire-codec.ts';
import { dataRetention } from './data-retention.ts';
import { lock } from './lock.ts';
import type { Relation, SeparateReading } from './relation.ts';
import { remoteStateConsumers } from './remote-state-consumers.ts';

/** What depends on each relation of a workspace, in the order in which plans list them. */
export const relations: Readonly<Record<WorkspaceRelation, Relation>> = {
  project: {
    fromDocument(document) {
      const id = relatedId(document, 'project');
      return id ? { project: id } : {};
    },
    restored: (id) => id || undefined,
  },
  tags: {
    fromDocument: ({ attributes, id }, dialect) => ({ tags: tagNames(attributes['tag-names'], id, dialect) }),
    restored: (names) => (Array.isArray(names) && names.length > 0 ? { exactly: names } : undefined),
  },
  'tag-bindings': {
    restored(value) {
      const bindings = asBindings(value) ?? {};
      return Object.keys(bindings).length > 0 ? { exactly: bindings } : undefined;
    },
  },
  'remote-state-consumers': remoteStateConsumers,
  'ssh-key': {
    // Some documents omit the relationship if there is no key.
    fromDocument: (document) => ({ 'ssh-key': relatedId(document, 'ssh-key') ?? null }),
    shown: (value = null) => value,
    restored: (id) => id || undefined,
  },
  'data-retention': dataRetention,
  lock,
};

function tagNames(value: unknown, id: string, dialect: Dialect): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === 'string'))
    throw unusableWorkspace(id, 'tag-names');
  return sortedSet(dialect === 'terraform' ? value.map((tag) => tag.toLowerCase()) : value);
}

/** The relations that are read with a request for each workspace. */
export const separateRelations = ['remote-state-consumers', 'data-retention'] as const;
export type SeparateRelation = (typeof separateRelations)[number];

export const separateReadings: Readonly<Record<SeparateRelation, SeparateReading>> = {
  'remote-state-consumers': remoteStateConsumers.separate,
  'data-retention': dataRetention.separate,
};
