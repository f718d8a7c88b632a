import { notificationSettings, shownSettings } from '../rules/settings.ts';
import type { StoredNotification } from '../store/records.ts';
import { type AnsweredResource, toOne } from './resource.ts';

/** A notification configuration. Its token is never shown. */
export function notificationResource(notification: StoredNotification): AnsweredResource {
  const { id, name, subject, settings, users, deliveries, createdAt, updatedAt } = notification;
  return {
    id,
    type: 'notification-configurations',
    attributes: {
      name,
      ...shownSettings(notificationSettings, settings),
      token: null,
      'delivery-responses': deliveries,
      'created-at': createdAt,
      'updated-at': updatedAt,
    },
    relationships: {
      subscribable: toOne(subject.type, subject.id),
      users: { data: users.map((user) => ({ id: user, type: 'users' })) },
    },
  };
}
