import type { Value } from '../model/value.ts';
import { pathTo, requestTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';
import type { ServiceResource } from './resource.ts';
import type { Wire } from './wire.ts';

/** What a notification configuration belongs to, by its id. One of a project applies to all of its workspaces. */
export type NotificationSubject = { readonly project: string } | { readonly workspace: string };

/** Where notifications are sent. */
export type NotificationDestination = 'email' | 'generic' | 'slack' | 'microsoft-teams';

/** The events that can be notified. No change of settings, tags, consumers or access is one. */
export type NotificationTrigger =
  | 'run:created'
  | 'run:planning'
  | 'run:needs_attention'
  | 'run:applying'
  | 'run:completed'
  | 'run:errored'
  | 'assessment:drifted'
  | 'assessment:check_failure'
  | 'assessment:failed'
  | 'workspace:auto_destroy_reminder'
  | 'workspace:auto_destroy_run_results'
  | 'workspace:deleted';

/** A response of a destination. */
export interface NotificationDelivery {
  readonly url: string;
  readonly code: number;
  readonly successful: boolean;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly 'sent-at': string;
}

/** The writable attributes of a notification configuration. */
export interface NotificationSettings {
  readonly name?: string;
  /** If it turns on, the service first sends a verification to the destination, and refuses the write if that fails. */
  readonly enabled?: boolean;
  /** Not for the destination `email`. */
  readonly url?: string | null;
  /**
   * Signs notifications to a `generic` destination: the header `X-TFE-Notification-Signature` has the HMAC-SHA-512 of the
   * body. The service never returns it.
   */
  readonly token?: string | null;
  readonly triggers?: readonly NotificationTrigger[];
  /** Self-hosted services only. */
  readonly 'email-addresses'?: readonly string[];
  /** The ids of users of the organization, for the destination `email`. */
  readonly users?: readonly string[];
}

/** What a new notification configuration needs. Its destination type never changes. */
export interface NewNotification extends NotificationSettings {
  readonly name: string;
  readonly 'destination-type': NotificationDestination;
  readonly enabled: boolean;
}

/** A notification configuration. */
export interface NotificationDocument
  extends ServiceResource<
    'notification-configurations',
    {
      readonly name: string;
      readonly enabled: boolean;
      readonly 'destination-type': NotificationDestination;
      readonly triggers: readonly NotificationTrigger[];
      readonly url: string | null;
      readonly 'email-addresses'?: readonly string[] | null;
      readonly 'delivery-responses': readonly NotificationDelivery[];
      readonly 'created-at': string;
      readonly 'updated-at': string;
    },
    'subscribable' | 'users'
  > {}

/** Notification configurations of projects and workspaces, in the `terraform` dialect. */
export interface NotificationEndpoints {
  /**
   * Reads all configurations of a project or a workspace; at most 20.
   *
   * @throws {@link ServiceError} 404 if it does not exist, or the token may not change it.
   * @example
   * ```ts
   * const ofShop = () => service.notifications.list({ project: 'prj-shop' });
   * ```
   */
  list(subject: NotificationSubject): Promise<readonly NotificationDocument[]>;

  /**
   * Creates a configuration.
   *
   * @throws {@link ServiceError} 400 if it is enabled and its destination does not answer with success; 422 for values that
   * are not allowed.
   * @example
   * ```ts
   * const chat = {
   *   name: 'chat',
   *   enabled: true,
   *   'destination-type': 'generic',
   *   url: 'https://hooks.acme.com/terraform',
   *   triggers: ['run:errored', 'workspace:deleted'],
   * } as const;
   * const create = () => service.notifications.create({ project: 'prj-shop' }, chat);
   * ```
   */
  create(subject: NotificationSubject, settings: NewNotification): Promise<NotificationDocument>;

  /**
   * Reads a configuration by its id.
   *
   * @throws {@link ServiceError} 404 if it does not exist, or the token may not change what it belongs to.
   * @example
   * ```ts
   * const show = () => service.notifications.show('nc-chat');
   * ```
   */
  show(id: string): Promise<NotificationDocument>;

  /**
   * Changes the given attributes.
   *
   * @throws {@link ServiceError} As {@link NotificationEndpoints.create}.
   * @example
   * ```ts
   * const disable = () => service.notifications.update('nc-chat', { enabled: false });
   * ```
   */
  update(id: string, settings: NotificationSettings): Promise<NotificationDocument>;

  /**
   * Deletes a configuration.
   *
   * @throws {@link ServiceError} 404 as {@link NotificationEndpoints.show}.
   * @example
   * ```ts
   * const remove = () => service.notifications.delete('nc-chat');
   * ```
   */
  delete(id: string): Promise<void>;

  /**
   * Sends a verification to the destination, and returns the configuration with the response to it.
   *
   * @throws {@link ServiceError} 400 if the destination does not answer with success.
   * @example
   * ```ts
   * const verify = () => service.notifications.verify('nc-chat');
   * ```
   */
  verify(id: string): Promise<NotificationDocument>;
}

export function notificationEndpoints(wire: Wire): NotificationEndpoints {
  const show = async (id: string) => wire.show<NotificationDocument>(pathTo('showNotification', { id }));
  const list = async (subject: NotificationSubject) =>
    wire.list<NotificationDocument>({
      path:
        'project' in subject
          ? pathTo('listProjectNotifications', { id: subject.project })
          : pathTo('listWorkspaceNotifications', { workspace: subject.workspace }),
    });
  return {
    list,
    show,
    create: async (subject, settings) => {
      const call =
        'project' in subject
          ? requestTo('createProjectNotification', { id: subject.project }, body(settings))
          : requestTo('createWorkspaceNotification', { workspace: subject.workspace }, body(settings));
      const named = async () => {
        const found = (await list(subject)).findLast(({ attributes }) => attributes.name === settings.name);
        if (found) return found;
        throw new NetworkError(call, 'the notification was created, but the service did not return it');
      };
      return wire.write(call, named);
    },
    update: async (id, settings) =>
      wire.write(requestTo('updateNotification', { id }, body(settings)), async () => show(id), {
        repeatable: true,
      }),
    delete: async (id) => wire.send(requestTo('deleteNotification', { id })),
    verify: async (id) => wire.write(requestTo('verifyNotification', { id }), async () => show(id)),
  };
}

function body({ users, ...attributes }: NotificationSettings): Value {
  return {
    data: {
      type: 'notification-configurations',
      attributes: { ...attributes },
      ...(users && {
        relationships: { users: { data: users.map((id) => ({ type: 'users', id })) } },
      }),
    },
  };
}
