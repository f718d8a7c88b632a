import { sharingSwitchOf, type WorkspaceRelation } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindings } from '../model/list-rule.ts';
import type { LockValue, WorkspaceValues } from '../model/state.ts';
import { isRecord, isTexts, sortedSet, type Value, type Values, withoutUndefined } from '../model/value.ts';
import { retentionIn } from '../service/call-codec.ts';
import { isMissingEndpoint, whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { consumersOf, readList } from '../service/paging.ts';
import { isNotFound, NetworkError } from '../service/service-error.ts';
import { unusableResource } from '../service/wire-codec.ts';

/** What depends on one setting of a workspace with separate calls. A part is absent if nothing depends on it. */
export interface Relation {
  /** The values that the document of a workspace shows (interface, section 2.1). */
  fromDocument?(document: ResourceObject, dialect: Dialect): Values;
  /** How it is read if the document does not show it. */
  readonly separate?: SeparateReading;
  /** What a plan shows of a value, if there is one value and not a list. */
  shown?(value: Value | undefined): Value;
  /**
   * The declaration that gives a new workspace the value of a deleted one; `undefined` if it has the value without one.
   * `nowCalled` has the id or name that a file declares now for a workspace, by its earlier id.
   */
  restored?(value: Value, nowCalled: (id: string) => string | undefined): Value | undefined;
}

/** How a setting is read with a request for each workspace. The feature that a service may lack has the same name. */
interface SeparateReading {
  /** What a snapshot without it lacks, in messages. */
  readonly noun: string;
  /** The fields of policies that show it. */
  readonly policyFields: readonly string[];
  /** Whether a request is needed to know the value, by what the document shows. */
  isNeeded(attributes: WorkspaceValues): boolean;
  /** Whether the document shows that there is a value; `undefined` if it does not show it. */
  isHeld?(attributes: WorkspaceValues): boolean | undefined;
  /** Reads the value and names by id that the answer shows; `undefined` if the service lacks the feature. */
  read(reader: ServiceReader, workspace: string): Promise<SeparateValue | undefined>;
}

export interface SeparateValue {
  readonly value: Value;
  readonly names?: readonly (readonly [id: string, name: string])[];
}

/** The workspace's own data retention policy (interface, section 4.7); `null` if it has none. */
const dataRetention = {
  fromDocument(document) {
    const policy = relatedId(document, 'data-retention-policy');
    // `null` means that the workspace has no own policy, which saves a request.
    if (policy === null) return { 'data-retention': null };
    return policy === undefined ? {} : { 'data-retention-policy': policy };
  },
  separate: {
    noun: 'data retention',
    policyFields: ['dataRetention'],
    isNeeded: (attributes) => attributes['data-retention'] !== null,
    isHeld({ 'data-retention': value, 'data-retention-policy': id }) {
      return value === null ? false : id === undefined ? undefined : true;
    },
    async read(reader, workspace) {
      const value = await readRetentionPolicy(reader, workspace);
      return reader.capabilities.lacks('data-retention') ? undefined : { value };
    },
  },
  shown: (value = null) => value,
  restored: (value) => value ?? undefined,
} as const satisfies Relation;

/** `null` if the workspace has no own policy, or the service has no policies. */
export async function readRetentionPolicy(reader: ServiceReader, id: string): Promise<Value> {
  const path = pathTo('showRetention', { workspace: id });
  const policy = await whereOffered(reader, 'data-retention', async () => {
    try {
      return retentionFromDocument(await reader.get(path), path);
    } catch (error) {
      if (isNotFound(error) && !isMissingEndpoint(error)) return null;
      throw error;
    }
  });
  return policy ?? null;
}

/**
 * The workspace's own policy; `null` if there is none. A policy whose target is not a workspace is inherited. A service
 * that omits the target returns the policy of the requested path.
 *
 * @throws {NetworkError} if the policy contains neither a number of days nor that nothing is deleted.
 */
export function retentionFromDocument(document: Document, path: string): Value {
  const policy = asResourceObject(document.data);
  if (policy === undefined) return null;
  const target = policy.relationships.target;
  const owner = isRecord(target) && isRecord(target.data) ? target.data.type : undefined;
  if (owner !== undefined && owner !== 'workspaces') return null;
  const value = retentionIn(policy);
  if (value !== null) return value;
  throw new NetworkError(
    { method: 'GET', path },
    'the data retention policy is not usable: it has no number of days',
  );
}

/** Without its own policy, a workspace uses that of its organization, which is not read. */
export function keptDays(policy: Value): number {
  const days = isRecord(policy) ? policy['delete-older-than-days'] : undefined;
  return typeof days === 'number' ? days : Number.POSITIVE_INFINITY;
}

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
  if (!isTexts(value)) throw unusableResource('workspaces', id, 'tag-names');
  return sortedSet(dialect === 'terraform' ? value.map((tag) => tag.toLowerCase()) : value);
}

/** The value of nearly all workspaces, kept once. */
const unlocked: LockValue = { locked: false };

function readLock(document: ResourceObject): LockValue {
  const { locked, 'locked-reason': reason } = document.attributes;
  if (locked !== undefined && locked !== null && typeof locked !== 'boolean')
    throw unusableResource('workspaces', document.id, 'locked');
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
