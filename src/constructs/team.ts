import { Construct } from 'constructs';
import { quote } from '../desired/text.ts';
import { markCallSite } from './call-site.ts';
import { defaultName } from './scope.ts';

/** The id or name of a team, and its alias. */
export interface TeamProps {
  /** The team's id, `team-...`. */
  readonly id?: string;
  /** The name on the service, which identifies the team without an `id`. @default the alias */
  readonly name?: string;
  /** The alias in plans. @default the ids on the path from the organization to the construct, joined with `-` */
  readonly alias?: string;
}

/**
 * An existing team.
 *
 * @example
 * ```ts
 * const sre = new Team(acme, 'sre', { name: 'Site Reliability' });
 * payments.grant(sre, 'admin');
 * ```
 */
export class Team extends Construct {
  readonly alias: string;
  readonly props: TeamProps;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    this.alias = props.alias ?? defaultName(this);
    this.props = props;
    this.node.addValidation({ validate: () => checkReference(props) });
  }
}

/** An id needs no look-up, so a name beside it is a mistake. */
export function checkReference({ id, name }: { readonly id?: string; readonly name?: string }): string[] {
  if (id === undefined || name === undefined) return [];
  return [`the id ${quote(id)} and the name ${quote(name)} exclude each other: set only one of them`];
}
