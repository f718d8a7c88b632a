import { isRecord } from '../../model/value.ts';
import { workspaceAccess } from '../callers.ts';
import { type AnsweredResource, toOne } from '../documents/answered-resource.ts';
import { projectPermissions } from '../documents/named-resources.ts';
import { pageOf } from '../documents/pages.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  Rejection,
  refuseInvalid,
} from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { sendVerification } from '../notify.ts';
import { givenIds, type InputResource, readResource } from '../rules/request-document.ts';
import { notificationSettings, readWrittenSettings, shownSettings } from '../rules/written-settings.ts';
import type { StoredNotification } from '../store/records.ts';
import { readName } from './named.ts';

const most = 20;

const triggers = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'run:completed',
  'run:errored',
  'assessment:drifted',
  'assessment:check_failure',
  'assessment:failed',
  'workspace:auto_destroy_reminder',
  'workspace:auto_destroy_run_results',
  'workspace:deleted',
];

type Subject = StoredNotification['subject'];

function listNotifications(type: Subject['type']) {
  return (request: ServiceRequest): Answer => {
    const { subject } = findSubject(request, { type, id: pathPart(request, 'id') });
    return pageOf(request, notificationsOf(request, subject), (notification) =>
      notificationResource(notification),
    );
  };
}

function createNotification(type: Subject['type']) {
  return async (request: ServiceRequest): Promise<Answer> => {
    const { store, now } = request.world;
    const { subject, organization } = findSubject(request, { type, id: pathPart(request, 'id') });
    const resource = readResource(request.body, 'notification-configurations');
    const before = { organization, subject, users: [], deliveries: [], settings: {}, createdAt: now() };
    const resolved = resolve(request, resource, undefined);
    if (notificationsOf(request, subject).length >= most) {
      refuseInvalid([invalid('/data', `cannot exceed ${most} notification configurations`)]);
    }
    const id = store.nextId('nc', `${subject.id}/${resolved.name}`);
    const created = { ...before, id, updatedAt: before.createdAt, ...resolved };
    return answer(request, created.settings.enabled ? await verified(request, created) : created, 201);
  };
}

function showNotification(request: ServiceRequest): Answer {
  return json(200, { data: notificationResource(findNotification(request)) });
}

async function updateNotification(request: ServiceRequest): Promise<Answer> {
  const before = findNotification(request);
  const resource = readResource(request.body, 'notification-configurations');
  const updatedAt = request.world.now();
  const updated = { ...before, updatedAt, ...resolve(request, resource, before) };
  const isTurnedOn = updated.settings.enabled && !before.settings.enabled;
  return answer(request, isTurnedOn ? await verified(request, updated) : updated);
}

function deleteNotification(request: ServiceRequest): Answer {
  request.world.store.remove('notifications', findNotification(request).id);
  return noContent;
}

async function verifyNotification(request: ServiceRequest): Promise<Answer> {
  return answer(request, await verified(request, findNotification(request)));
}

/** A configuration is saved only if its destination answers with success. */
async function verified(
  { world }: ServiceRequest,
  notification: StoredNotification,
): Promise<StoredNotification> {
  const delivery = await sendVerification(world, notification);
  if (!delivery) return notification;
  if (delivery.successful) return { ...notification, deliveries: [delivery] };
  const cause = delivery.code === 0 ? 'no response' : delivery.code;
  const detail = `Verification failed with the error: ${cause}. Check that your URL is correct.`;
  throw new Rejection(400, [{ status: '400', title: 'Verification Delivery Error', detail }]);
}

function answer({ world }: ServiceRequest, notification: StoredNotification, status = 200): Answer {
  world.store.put('notifications', notification);
  return json(status, { data: notificationResource(notification) });
}

function notificationsOf({ world }: ServiceRequest, subject: Subject): StoredNotification[] {
  return world.store.all('notifications').filter(({ subject: other }) => other.id === subject.id);
}

function findNotification(request: ServiceRequest): StoredNotification {
  const notification = request.world.store.get('notifications', pathPart(request, 'id'));
  if (!notification) throw notFound();
  findSubject(request, notification.subject);
  return notification;
}

/** The project or the workspace, for those who may change it. */
function findSubject({ world, caller }: ServiceRequest, subject: Subject) {
  if (subject.type === 'workspaces') {
    const workspace = world.store.get('workspaces', subject.id);
    if (!workspace || workspaceAccess(caller, workspace) !== 'admin') throw notFound();
    return { subject, organization: workspace.organization };
  }
  const project = world.store.get('projects', subject.id);
  if (!project || !projectPermissions(world, project, caller)['can-update']) throw notFound();
  return { subject, organization: project.organization };
}

/** The values after a write. The type of the destination never changes. */
function resolve(
  { world }: ServiceRequest,
  resource: InputResource,
  before: StoredNotification | undefined,
): Pick<StoredNotification, 'name' | 'settings' | 'users'> {
  const { name, errors } = readName(resource, { taken: [], before });
  const given = readWrittenSettings(notificationSettings, resource.attributes, errors);
  const settings: StoredNotification['settings'] = {
    ...before?.settings,
    ...given,
    ...(before && { 'destination-type': before.settings['destination-type'] ?? null }),
  };
  const { 'email-addresses': _addresses, ...hosted } = settings;
  if (!before) {
    for (const required of ['destination-type', 'enabled']) {
      if (resource.attributes[required] === undefined)
        errors.push(invalid(`/data/attributes/${required}`, "can't be blank"));
    }
  }
  refuseInvalid([...errors, ...valueErrors(settings, resource)]);
  return {
    name,
    settings: world.edition === 'hosted' ? hosted : settings,
    users: givenIds(resource, 'users') ?? before?.users ?? [],
  };
}

function valueErrors(settings: StoredNotification['settings'], resource: InputResource): ErrorObject[] {
  const { 'destination-type': destination, url, token, triggers: named = [] } = settings;
  const isMail = destination === 'email';
  const problems: (readonly [name: string, detail: string] | false)[] = [
    !isMail && !isWebAddress(url) && ['url', 'must be an HTTP or HTTPS URL'],
    isMail && url != null && ['url', 'must not be set for the destination type email'],
    destination !== 'generic' &&
      token != null && ['token', 'must not be set unless the destination type is generic'],
    !isMail && isRecord(resource.relationships.users) && ['users', 'requires the destination type email'],
    ...[named]
      .flat()
      .filter((trigger) => !triggers.includes(String(trigger)))
      .map((trigger) => ['triggers', `${trigger} is not a known trigger`] as const),
  ];
  return problems.flatMap((problem) =>
    problem ? [invalid(`/data/attributes/${problem[0]}`, problem[1])] : [],
  );
}

function isWebAddress(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export const notificationRoutes: readonly Route[] = [
  ['GET', '/projects/:id/notification-configurations', listNotifications('projects')],
  ['POST', '/projects/:id/notification-configurations', createNotification('projects')],
  ['GET', '/workspaces/:id/notification-configurations', listNotifications('workspaces')],
  ['POST', '/workspaces/:id/notification-configurations', createNotification('workspaces')],
  ['GET', '/notification-configurations/:id', showNotification],
  ['PATCH', '/notification-configurations/:id', updateNotification],
  ['DELETE', '/notification-configurations/:id', deleteNotification],
  ['POST', '/notification-configurations/:id/actions/verify', verifyNotification],
];

/** A notification configuration. Its token is never shown. */
function notificationResource(notification: StoredNotification): AnsweredResource {
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
