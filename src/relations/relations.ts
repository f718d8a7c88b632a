import { sharingSwitchOf, type WorkspaceRelation } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindings } from '../model/list-rule.ts';
import type { LockValue } from '../model/state.ts';
import { isRecord, isTexts, sortedSet, type Value, withoutUndefined } from '../model/value.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { consumersOf, readList } from '../service/paging.ts';
import { unusableWorkspace } from '../service/wire-codec.ts';
import { dataRetention } from './data-retention.ts';
import type { Relation, SeparateReading } from './relation.ts';

/** The workspaces that may read the state, by id (interface, section 4.5). */
const remoteStateConsumers = {
  separate: {
    noun: 'consumers',
    policyFields: ['consumers', 'readers', 'consumerProjects', 'consumerProjectIds'],
    // While a switch shares the state, the service lists other workspaces instead of the stored consumers.
    isNeeded: (attributes) => sharingSwitchOf(attributes) === undefined,
    async read(reader, workspace) {
      const list = await whereOffered(reader, 'remote-state-consumers', () =>
        readConsumerList(reader, workspace),
      );
      return list && { value: list.map(({ id }) => id).sort(), names: list.flatMap(nameOf) };
    },
  },
  restored(ids, nowCalled) {
    const names = Array.isArray(ids) ? ids.flatMap((id) => nowCalled(String(id)) ?? []) : [];
    return names.length > 0 ? { exactly: names } : undefined;
  },
} as const satisfies Relation;

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
  // Its holder and reason are not compared (interface, section 4.3).
  lock: {
    fromDocument: (document) => ({ lock: readLock(document) }),
    shown: isLocked,
    restored: (value) => (isLocked(value) ? declaredLock(value) : undefined),
  },
};

/** The relations that are read with a request for each workspace. */
export const separateRelations = ['remote-state-consumers', 'data-retention'] as const;
export type SeparateRelation = (typeof separateRelations)[number];

export const separateReadings: Readonly<Record<SeparateRelation, SeparateReading>> = {
  'remote-state-consumers': remoteStateConsumers.separate,
  'data-retention': dataRetention.separate,
};

function tagNames(value: unknown, id: string, dialect: Dialect): string[] {
  if (value === undefined || value === null) return [];
  if (!isTexts(value)) throw unusableWorkspace(id, 'tag-names');
  return sortedSet(dialect === 'terraform' ? value.map((tag) => tag.toLowerCase()) : value);
}

/** The value of nearly all workspaces, kept once. */
const unlocked: LockValue = { locked: false };

function readLock(document: ResourceObject): LockValue {
  const { locked, 'locked-reason': reason } = document.attributes;
  if (locked !== undefined && locked !== null && typeof locked !== 'boolean')
    throw unusableWorkspace(document.id, 'locked');
  if (locked !== true) return unlocked;
  return withoutUndefined({
    locked,
    reason: typeof reason === 'string' ? reason || undefined : undefined,
    by: relatedId(document, 'locked-by') ?? undefined,
  });
}

export function isLocked(value: Value | undefined): boolean {
  return isRecord(value) && value.locked === true;
}

export function lockWord(value: Value | undefined): 'locked' | 'unlocked' {
  return isLocked(value) ? 'locked' : 'unlocked';
}

/** Without the holder, which cannot be declared. */
export function declaredLock(value: Value): Value {
  const reason = isRecord(value) ? value.reason : undefined;
  const locked = isLocked(value);
  return typeof reason === 'string' ? { locked, reason } : { locked };
}

export function readConsumerList(reader: ServiceReader, id: string): Promise<ResourceObject[]> {
  return readList(reader, consumersOf(id));
}

export async function readConsumerIds(reader: ServiceReader, id: string): Promise<string[]> {
  return (await readConsumerList(reader, id)).map((consumer) => consumer.id);
}

/** Some services return bare identifiers without names. */
function nameOf({ id, attributes: { name } }: ResourceObject): [id: string, name: string][] {
  return typeof name === 'string' ? [[id, name]] : [];
}
