import { Construct } from 'constructs';
import { quote } from '../desired/text.ts';
import { markCallSite } from './call-site.ts';
import { defaultName } from './scope.ts';

/** How a team is found, and what it is called. */
export interface TeamProps {
  /** The team's id, `team-...`. */
  readonly id?: string;
  /** The name to look it up by, where no id is given. @default the alias */
  readonly name?: string;
  /** What plans call it. @default the ids on the way from the organization to the construct, joined with `-` */
  readonly alias?: string;
}

/**
 * A team that is there.
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

/** What is known by its id is not looked up. */
export function checkReference({ id, name }: { readonly id?: string; readonly name?: string }): string[] {
  if (id === undefined || name === undefined) return [];
  return [`the id ${quote(id)} and the name ${quote(name)} exclude each other: set only one of them`];
}
