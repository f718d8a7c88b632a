import { isOwner } from '../callers.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Route, ServiceRequest } from '../http/router.ts';

/** The user of the token. A team's or an organization's token has a separate user, and shows whose it is. */
function showAccount({ caller }: ServiceRequest): Answer {
  const { user, holder, organization } = caller;
  const isUser = holder.type === 'users';
  return json(200, {
    data: {
      id: user,
      type: 'users',
      attributes: {
        username: isUser ? user.replace(/^user-/, '') : `api-${holder.type.slice(0, -1)}-${holder.id}`,
        'is-service-account': !isUser,
        permissions: { 'can-create-organization': organization === null || isOwner(caller, organization) },
      },
      relationships: { 'authenticated-resource': { data: holder } },
      links: { self: `/api/v2/users/${user}` },
    },
  });
}

export const accountRoutes: readonly Route[] = [['GET', '/account/details', showAccount]];
