import { Construct } from 'constructs';
import type { AttributeProps } from './attribute-props.ts';
import { captureCallSite, defaultName, markCallSite, PlacedValue } from './origin.ts';
import type { Project } from './project.ts';
import type { List, Reference, TagBindingProps, TagMap } from './prop-types.ts';

/** A reader of a workspace's state: a workspace by construct, name or id, or a selector that the plan expands. */
export type Consumer =
  | Workspace
  /** All workspaces of the project. */
  | Project
  /** The name of a workspace, or its id. */
  | string
  /** All workspaces that match. */
  | WorkspaceSelector;

/** Selects workspaces: all of its keys must match. */
export interface WorkspaceSelector {
  /** A tag, or a list: workspaces that have all of them. */
  readonly tag?: string | readonly string[];
  /** A project, or a list: workspaces in any of them. */
  readonly project?: Project | Reference | readonly (Project | Reference)[];
  /** A name with `*` for any run of characters, or a list: workspaces that match any of them. */
  readonly name?: string | readonly string[];
  /** A name with `*` for any run of characters, or a list: workspaces that match none of them. */
  readonly except?: string | readonly string[];
  /** Key/value tags in effect, inherited ones included: all of them. `null` is a key without a value. */
  readonly tagged?: TagMap;
}

/** Settings that workspaces share: the defaults of an organization. */
export interface WorkspaceDefaults extends AttributeProps {
  /** Makes any delete or rename an error. @default false */
  readonly protect?: boolean;
  /** The project. @default the nearest enclosing `Project` */
  readonly project?: Project | Reference;
  /** Tags. */
  readonly tags?: List;
  /** Key/value tags of the workspace itself. Services of the `terraform` dialect only. */
  readonly tagBindings?: TagBindingProps;
  /** The workspaces that may read the state. */
  readonly remoteStateConsumers?: List<Consumer>;
  /** The SSH key; `null` for none. */
  readonly sshKey?: Reference | null;
  /** `true` or a reason: locked. `false` or `null`: unlocked. */
  readonly lock?: boolean | { readonly reason: string } | null;
  /** The workspace's own policy, on self-hosted services; `null` for no own policy. */
  readonly dataRetention?: { readonly deleteOlderThanDays: number } | { readonly dontDelete: true } | null;
}

/** Settings with templates below them. */
export interface InheritingProps extends WorkspaceDefaults {
  /** The templates that this one inherits from; a later one overrides an earlier one. */
  readonly extends?: string | readonly string[];
  /** Keys that are not inherited from lower layers, as the configuration language spells them: `vcs-repo.branch`. */
  readonly unmanaged?: readonly string[];
}

/** Named settings that workspaces inherit with `extends`, or if `when` selects them. */
export interface TemplateProps extends InheritingProps {
  /** Every workspace that this selects by its other layers takes the template, over those that it extends. */
  readonly when?: WorkspaceSelector;
}

/** One workspace. An omitted setting is left alone; `null` clears; `[]` is explicitly empty. */
export interface WorkspaceProps extends InheritingProps {
  /** @default the ids on the path from the organization to the construct, joined with `-` */
  readonly name?: string;
  /** Tags. `Tags.of` of an enclosing scope adds tags to a plain list. */
  readonly tags?: List;
  /** Key/value tags. `Tags.of(…).bind` of an enclosing scope adds tags to a plain mapping. */
  readonly tagBindings?: TagBindingProps;
  /** `absent`: a tombstone; the workspace is deleted. */
  readonly state?: 'absent';
  /** `safe` deletes only a workspace that manages no resources; `force` deletes any. @default 'safe' */
  readonly delete?: 'safe' | 'force';
  /** The former name of the workspace; it is renamed, not deleted and created. */
  readonly renamedFrom?: string;
}

/**
 * One workspace.
 *
 * @example
 * ```ts
 * const dns = new Workspace(acme, 'dns', { project: payments, tags: ['network'], protect: true });
 * dns.allowStateReadBy(billing, { tag: 'needs-dns' });
 * console.log(dns.name); // dns
 * ```
 */
export class Workspace extends Construct {
  /** The name of the workspace on the service. */
  readonly name: string;
  readonly props: WorkspaceProps;

  /** @throws {@link AttuneError} outside of any organization. */
  constructor(scope: Construct, id: string, props: WorkspaceProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    this.name = props.name ?? defaultName(this);
    this.props = props;
  }

  /**
   * Lets other workspaces read this workspace's state; two workspaces may read each other's. The consumers are added to
   * `remoteStateConsumers` of the props; if the props declare none, the list is exactly what is allowed here.
   *
   * @param consumers - Workspaces, their names or ids, or selectors.
   * @example
   * ```ts
   * network.allowStateReadBy(billing);
   * billing.allowStateReadBy(network, { name: 'app-*' });
   * ```
   */
  allowStateReadBy(...consumers: readonly Consumer[]): this {
    const site = captureCallSite(this.allowStateReadBy);
    const placed = consumers.map((consumer) => new PlacedValue(consumer, { construct: this, site }));
    readers.set(this, [...readersOf(this), ...placed]);
    return this;
  }
}

const readers = new WeakMap<Workspace, readonly PlacedValue<Consumer>[]>();

export function readersOf(workspace: Workspace): readonly PlacedValue<Consumer>[] {
  return readers.get(workspace) ?? [];
}
