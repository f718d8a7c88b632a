import type { IConstruct } from 'constructs';
import { AttuneError } from '../model/attune-error.ts';

/** The organizations. Their class is not imported here, because its module imports this one. */
const organizations = new WeakSet<IConstruct>();

export function markOrganization(construct: IConstruct): void {
  organizations.add(construct);
}

/**
 * The organization of a construct.
 *
 * @throws {AttuneError} if the construct is not inside an organization.
 */
export function organizationScope(construct: IConstruct): IConstruct {
  const found = construct.node.scopes.find((scope) => organizations.has(scope));
  if (found) return found;
  throw outsideOrganization(construct);
}

export function outsideOrganization(construct: IConstruct): AttuneError {
  return new AttuneError(`${construct.node.path} is not inside an organization`, {
    code: 'wrong-scope',
    hint: 'use an Organization, or a construct inside one, as its scope',
  });
}

/** The default name of a construct: the ids on the path from its organization. */
export function defaultName(construct: IConstruct): string {
  const { scopes } = construct.node;
  const inside = scopes.slice(scopes.indexOf(organizationScope(construct)) + 1);
  return inside.map(({ node }) => node.id).join('-');
}
