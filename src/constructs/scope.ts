import type { IConstruct } from 'constructs';
import { AttuneError } from '../model/attune-error.ts';

/** The constructs that are organizations: everything inside of one asks for it without knowing its class. */
const organizations = new WeakSet<IConstruct>();

export function markOrganization(construct: IConstruct): void {
  organizations.add(construct);
}

/**
 * The organization that a construct is in.
 *
 * @throws {AttuneError} where it is in none.
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

/** The name of a construct that is not given one: the ids on the way to it from its organization. */
export function defaultName(construct: IConstruct): string {
  const { scopes } = construct.node;
  const inside = scopes.slice(scopes.indexOf(organizationScope(construct)) + 1);
  return inside.map(({ node }) => node.id).join('-');
}
