import { Construct } from 'constructs';
import { captureCallSite, markCallSite } from './call-site.ts';
import { defaultName } from './organization.ts';
import { Placed } from './placed.ts';
import type { Consumer, WorkspaceProps } from './workspace-props.ts';

/**
 * One workspace.
 *
 * @example
 * const network = new Workspace(prod, 'network', { project: platform, tags: ['network'], protect: true });
 * const billing = new Workspace(prod, 'billing');
 * network.allowStateReadBy(billing, { tag: 'needs-network' });
 */
export class Workspace extends Construct {
  /** What the workspace is called on the service. */
  readonly name: string;
  readonly props: WorkspaceProps;
  readonly #readers: Placed<Consumer>[] = [];

  /** @throws {AttuneError} outside of any organization. */
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
   * @param consumers Workspaces, their names or ids, or selectors.
   */
  allowStateReadBy(...consumers: readonly Consumer[]): this {
    const site = captureCallSite(this.allowStateReadBy);
    for (const consumer of consumers) this.#readers.push(new Placed(consumer, { construct: this, site }));
    return this;
  }

  /** What {@link allowStateReadBy} was told, with its places. */
  get readers(): readonly Placed<Consumer>[] {
    return this.#readers;
  }
}
