import { attributePaths, wirePlaces } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { dialects } from '../model/dialect.ts';
import { asBindings, effectiveBindings } from '../model/tag-bindings.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { type ResourceObject, related } from '../service/documents.ts';
import type { FoundWorkspace } from './find-workspaces.ts';
import { type LockHolder, lockHolder } from './included.ts';

/** A live workspace as `attune workspace list` and `show` print it; also its JSON. */
export interface WorkspaceEntry {
  readonly name: string;
  readonly id: string;
  readonly project: NamedThing | null;
  readonly tags: readonly string[];
  /** The key/value tags in effect; absent if the service did not send them. */
  readonly tagBindings?: readonly TagBindingEntry[];
  readonly lock: { readonly locked: boolean; readonly reason?: string; readonly by?: LockHolder };
  /** Number of resources that its newest state manages, if the service returns it. */
  readonly resources?: number;
  readonly sshKey: NamedThing | null;
  /** Every attribute that can be declared, under the neutral names. */
  readonly settings: Values;
  /** All other values that the service returns, under the service's names. */
  readonly facts: Values;
  /** The permissions of the token, in the service's spelling without `can-`. */
  readonly permissions: readonly string[];
  /** Where it is declared. */
  readonly declared?: DeclarationPlace;
  /** The workspaces that may read its state: all of the organization, all of its project, or these. Read by `show` only. */
  readonly consumers?: 'all' | 'project' | readonly NamedThing[];
  /** Its own data retention; `null` if there is none. Read by `show` only. */
  readonly dataRetention?: Value;
}

/** A key/value tag that applies to a workspace. */
export interface TagBindingEntry {
  readonly key: string;
  readonly value: string | null;
  /** Whether it is inherited from the workspace's project. */
  readonly inherited: boolean;
}

/** An object with an id, and possibly a name on the service and an alias in the configuration. */
export interface NamedThing {
  readonly id: string;
  readonly name?: string;
  readonly alias?: string;
}

export interface DeclarationPlace extends SourceLocation {
  readonly protect: boolean;
}

/** The part of a configuration that an entry shows. */
export interface FileKnowledge {
  projectAlias(id: string): string | undefined;
  sshKeyAlias(id: string): string | undefined;
  declaration(name: string): DeclarationPlace | undefined;
}

/** Attributes with a separate member in an entry, in the spelling of either dialect. */
const placed = new Set([
  ...['name', 'tag-names', 'locked', 'locked-reason', 'resource-count', 'permissions'],
  ...dialects.flatMap((dialect) => wirePlaces[dialect].map(({ holder, name }) => holder ?? name)),
]);

const schedule: ReadonlySet<string> = new Set(['auto-destroy-at', 'auto-destroy-activity-duration']);

export function workspaceEntry(found: FoundWorkspace, files: FileKnowledge): WorkspaceEntry {
  const { resource, document } = found;
  const { attributes } = resource;
  const { project, tags, 'resource-count': resources, 'ssh-key': sshKey } = attributes;
  const declared = files.declaration(resource.name);
  return {
    name: resource.name,
    id: resource.id ?? '',
    project:
      typeof project === 'string'
        ? named(project, document.included?.get(project)?.attributes.name, files.projectAlias(project))
        : null,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    ...bindingEntries(attributes),
    lock: lockOf(found),
    ...(typeof resources === 'number' && { resources }),
    sshKey: typeof sshKey === 'string' ? named(sshKey, undefined, files.sshKeyAlias(sshKey)) : null,
    settings: Object.fromEntries(
      attributePaths.flatMap((path) => {
        // A destroy schedule that the workspace inherits applies to it, too.
        const value = schedule.has(path) ? document.attributes[path] : attributes[path];
        return value === undefined ? [] : [[path, value as Value]];
      }),
    ),
    facts: factsOf(document),
    permissions: permissionsOf(document.attributes.permissions),
    ...(declared && { declared }),
  };
}

export function lockOf({ resource, document }: FoundWorkspace): WorkspaceEntry['lock'] {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  const by = lockHolder(document);
  return {
    locked: locked === true,
    ...(typeof reason === 'string' && { reason }),
    ...(locked === true && by && { by }),
  };
}

function bindingEntries(attributes: Values): Pick<WorkspaceEntry, 'tagBindings'> {
  const own = asBindings(attributes['tag-bindings']);
  if (own === undefined) return {};
  const tagBindings = Object.entries(effectiveBindings(attributes)).map(([key, value]) => ({
    key,
    value,
    inherited: !Object.hasOwn(own, key),
  }));
  return { tagBindings: tagBindings.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

function named(id: string, name: unknown, alias: string | undefined): NamedThing {
  return { id, ...(typeof name === 'string' && { name }), ...(alias !== undefined && { alias }) };
}

/** All other values of the document, including those of later versions of the service. */
function factsOf(document: ResourceObject): Record<string, Value> {
  const plain = Object.entries(document.attributes).filter(
    ([name, value]) =>
      !placed.has(name) && ['string', 'number', 'boolean'].includes(typeof value) && value !== '',
  );
  const pointed = ['current-run', 'current-state-version', 'current-configuration-version'].flatMap(
    (name) => {
      const identifier = related(document, name);
      return identifier ? [[name, identifier.id] as const] : [];
    },
  );
  const facts = [...plain, ...pointed].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(facts) as Record<string, Value>;
}

function permissionsOf(permissions: unknown): string[] {
  if (!isRecord(permissions)) return [];
  return Object.entries(permissions)
    .filter(([, may]) => may === true)
    .map(([name]) => name.replace(/^can-/, ''))
    .sort();
}
