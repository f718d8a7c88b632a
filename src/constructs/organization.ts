import { Construct, type IConstruct } from 'constructs';
import { AttuneError } from '../model/attune-error.ts';
import { markCallSite } from './call-site.ts';
import type { OrganizationProps } from './organization-props.ts';

/**
 * One organization. All else stands in one.
 *
 * @example
 * ```ts
 * const other = new Organization(app, 'other', { scope: { tags: ['managed'] } });
 * console.log(other.name); // other
 * ```
 */
export class Organization extends Construct {
  readonly name: string;
  readonly props: OrganizationProps;

  /** @throws {@link AttuneError} inside of another organization. */
  constructor(scope: Construct, id: string, props: OrganizationProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    const outer = scope.node.scopes.find(isOrganization);
    if (outer)
      throw new AttuneError(
        `${this.node.path} stands in ${outer.node.path}, which is an organization already`,
        {
          code: 'wrong-scope',
          hint: 'make it beside the other one, in the app',
        },
      );
    this.name = props.name ?? id;
    this.props = props;
  }

  /**
   * The organization that a construct stands in.
   *
   * @throws {@link AttuneError} where it stands in none.
   * @example
   * ```ts
   * console.log(Organization.of(network) === acme); // true
   * ```
   */
  static of(construct: IConstruct): Organization {
    const found = construct.node.scopes.find(isOrganization);
    if (found) return found;
    throw new AttuneError(`${construct.node.path} stands in no organization`, {
      code: 'wrong-scope',
      hint: 'give its constructor an Organization, or a construct inside of one, as the scope',
    });
  }
}

function isOrganization(construct: IConstruct): construct is Organization {
  return construct instanceof Organization;
}

/** What a construct is called where it is not given a name: the ids on the way to it from its organization. */
export function defaultName(construct: IConstruct): string {
  const { scopes } = construct.node;
  const inside = scopes.slice(scopes.indexOf(Organization.of(construct)) + 1);
  return inside.map(({ node }) => node.id).join('-');
}
