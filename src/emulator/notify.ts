import { createHmac } from 'node:crypto';
import type { Value } from '../model/value.ts';
import { isLoopbackHost } from './http/handle-request.ts';
import type { StoredNotification, StoredWorkspace } from './store/records.ts';
import type { World } from './world.ts';

type Delivery = StoredNotification['deliveries'][number];

const longestWait = 5000;

/** Sends the request that shows whether a destination answers. */
export async function sendVerification(
  world: World,
  notification: StoredNotification,
): Promise<Delivery | undefined> {
  const { id, name } = notification;
  return deliver(world, notification, {
    payload_version: 1,
    notification_configuration_id: id,
    run_url: null,
    run_id: null,
    run_message: null,
    run_created_at: null,
    run_created_by: null,
    workspace_id: null,
    workspace_name: null,
    organization_name: null,
    notifications: [
      {
        message: `Verification of ${name}`,
        trigger: 'verification',
        run_status: null,
        run_updated_at: null,
        run_updated_by: null,
      },
    ],
  });
}

const deletion = 'workspace:deleted';

/** Notifies of a deleted workspace. Its deletion waits for no destination, as on the live service. */
export function announceDeletion(world: World, workspace: StoredWorkspace): void {
  const subjects = [workspace.id, workspace.project];
  const notified = world.store.all('notifications').filter(({ subject, settings }) => {
    const triggers = settings.triggers;
    return subjects.includes(subject.id) && settings.enabled && [triggers].flat().includes(deletion);
  });
  for (const notification of notified) {
    const sent = deliver(world, notification, {
      payload_version: '2',
      notification_configuration_id: notification.id,
      trigger_scope: 'workspace',
      trigger: deletion,
      message: `Workspace ${workspace.name} was deleted`,
      details: {
        workspace_id: workspace.id,
        workspace_name: workspace.name,
        organization_name: workspace.organization,
      },
    });
    void sent.then((delivery) => {
      const present = world.store.get('notifications', notification.id);
      if (present && delivery) world.store.put('notifications', { ...present, deliveries: [delivery] });
    });
  }
}

/**
 * Sends a notification, signed with the token of its configuration, and returns the response. Mail is not sent, and neither
 * are requests to other machines: an embedded service only reaches its own.
 */
async function deliver(
  world: World,
  { settings }: StoredNotification,
  payload: Value,
): Promise<Delivery | undefined> {
  const { url, token, 'destination-type': destination } = settings;
  if (typeof url !== 'string' || !isLoopbackHost(new URL(url).host)) return undefined;
  const body = JSON.stringify(payload);
  const sentAt = world.now();
  const result = await post(
    url,
    body,
    destination === 'generic' && typeof token === 'string' ? token : undefined,
  );
  return { url, 'sent-at': sentAt, ...result };
}

async function post(url: string, body: string, token: string | undefined) {
  const signature = token && createHmac('sha512', token).update(body).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(signature && { 'X-TFE-Notification-Signature': signature }),
      },
      body,
      // A destination may not redirect it to another machine.
      redirect: 'manual',
      signal: AbortSignal.timeout(longestWait),
    });
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]]));
    return { code: response.status, successful: response.ok, headers, body: await response.text() };
  } catch {
    return { code: 0, successful: false, headers: {}, body: '' };
  }
}
