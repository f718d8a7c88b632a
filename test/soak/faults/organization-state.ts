import type { Emulator } from '../../../src/emulator/index.ts';
import { ask } from '../../support/ask.ts';

const moments = ['created-at', 'updated-at', 'latest-change-at'];

interface Item {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * All that a service holds, as plain data: every workspace and grant with its id, and what hangs on each. Ids depend on a
 * name and on how often it was used, so whatever was made twice shows.
 */
export async function organizationState(service: Emulator): Promise<unknown> {
  const get = async (path: string): Promise<Item[]> => {
    const { status, body } = await ask(service, 'GET', path);
    return status === 404 ? [] : [body.data].flat();
  };
  const workspaces = await get('/organizations/acme/workspaces?page%5Bsize%5D=100');
  const projects = await get('/organizations/acme/projects?page%5Bsize%5D=100');
  const relations = ['tags', 'remote-state-consumers', 'data-retention-policy'];
  const state = {
    workspaces: await Promise.all(
      workspaces.map(async (workspace) => ({
        ...workspace,
        ...Object.fromEntries(
          await Promise.all(
            relations.map(async (relation) => {
              const items = await get(
                `/workspaces/${workspace.id}/relationships/${relation}?page%5Bsize%5D=100`,
              );
              return [
                relation,
                items.map((item) => ({ id: item.id, name: item.attributes.name ?? item.attributes })),
              ];
            }),
          ),
        ),
      })),
    ),
    grants: await Promise.all(
      projects.map(({ id }) => get(`/team-projects?filter%5Bproject%5D%5Bid%5D=${id}&page%5Bsize%5D=100`)),
    ),
    tags: await get('/organizations/acme/tags?page%5Bsize%5D=100'),
  };
  return inOrder(withoutMoments(state));
}

/** The order of creation is not part of the state. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inOrder).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOrder(inner)]));
}

function withoutMoments(state: object): unknown {
  return JSON.parse(JSON.stringify(state, (key, value) => (moments.includes(key) ? undefined : value)));
}
