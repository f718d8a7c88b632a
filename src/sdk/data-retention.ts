import { pathTo, requestTo, retentionBody } from '../service/endpoints.ts';
import type { ServiceResource } from './resource.ts';
import type { Wire } from './wire.ts';

/** How long a workspace keeps old data. Its `target` is the owner: the policy of an organization is inherited. */
export interface RetentionPolicy
  extends ServiceResource<
    'data-retention-policy-delete-olders' | 'data-retention-policy-dont-deletes',
    { readonly 'delete-older-than-n-days'?: number },
    'target'
  > {}

/** How long a workspace shall keep old data: a number of days, or for ever. */
export type RetentionRule = { readonly 'delete-older-than-days': number } | { readonly 'dont-delete': true };

/** Data retention policies; on self-hosted deployments only (interface, section 4.7). */
export interface RetentionEndpoints {
  /**
   * Reads the policy that holds for a workspace: its own, or else the organization's.
   *
   * @throws {@link ServiceError} 404 where there is none, or the service has no such thing.
   * @example
   * ```ts
   * const policy = await service.dataRetention.show('ws-network');
   * console.log(policy.attributes['delete-older-than-n-days']); // 30
   * ```
   */
  show(workspace: string): Promise<RetentionPolicy>;

  /**
   * Sets the workspace's own policy, and replaces a present one.
   *
   * @throws {@link ServiceError} 404 where the service has no such thing, or the token may not.
   * @example
   * ```ts
   * const policy = await service.dataRetention.set('ws-network', { 'dont-delete': true });
   * console.log(policy.type); // data-retention-policy-dont-deletes
   * ```
   */
  set(workspace: string, rule: RetentionRule): Promise<RetentionPolicy>;

  /**
   * Removes the workspace's own policy, so that the organization's applies.
   *
   * @throws {@link ServiceError} 404 where neither has one, or the service has no such thing.
   * @example
   * ```ts
   * await service.dataRetention.remove('ws-network');
   * ```
   */
  remove(workspace: string): Promise<void>;
}

export function retentionEndpoints(wire: Wire): RetentionEndpoints {
  const show = async (workspace: string) =>
    wire.show<RetentionPolicy>(pathTo('showRetention', { workspace }));
  return {
    show,
    set: async (workspace, rule) => {
      const call = requestTo('setRetention', { workspace }, retentionBody(rule));
      return wire.write(call, () => show(workspace), { repeatable: true });
    },
    remove: async (workspace) => wire.send(requestTo('removeRetention', { workspace })),
  };
}
