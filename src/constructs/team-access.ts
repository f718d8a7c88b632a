import { Construct } from 'constructs';
import { markCallSite } from './call-site.ts';
import type { TeamAccessProps } from './grant-props.ts';
import { Organization } from './organization.ts';

/**
 * The access of one team to one project; `project.grant` makes it in fewer words.
 *
 * @example
 * ```ts
 * new TeamAccess(payments, 'developers', { team: developers, access: 'maintain' });
 * ```
 */
export class TeamAccess extends Construct {
  readonly props: TeamAccessProps;

  /** @throws {@link AttuneError} outside of any organization. */
  constructor(scope: Construct, id: string, props: TeamAccessProps) {
    super(scope, id);
    markCallSite(this, new.target);
    Organization.of(this);
    this.props = props;
  }
}
