import { Construct } from 'constructs';
import { captureCallSite, markCallSite } from './call-site.ts';
import { defaultName } from './organization.ts';
import { Placed } from './placed.ts';
import type { Consumer, WorkspaceProps } from './workspace-props.ts';

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
  /** What the workspace is called on the service. */
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
   * Lets others read this workspace's state, in any direction: two may read each other's. They join what the props name
   * under `remoteStateConsumers`; where these name none, the list is exactly what is allowed here.
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
    const placed = consumers.map((consumer) => new Placed(consumer, { construct: this, site }));
    readers.set(this, [...readersOf(this), ...placed]);
    return this;
  }
}

const readers = new WeakMap<Workspace, readonly Placed<Consumer>[]>();

/** Whom `allowStateReadBy` let read a workspace's state. */
export function readersOf(workspace: Workspace): readonly Placed<Consumer>[] {
  return readers.get(workspace) ?? [];
}
