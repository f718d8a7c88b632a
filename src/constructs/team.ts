import { Construct } from 'constructs';
import { markCallSite } from './call-site.ts';
import { defaultName } from './organization.ts';

export interface TeamProps {
  /** The team's id, `team-...`. */
  readonly id?: string;
  /** The name to look it up by, where no id is given. @default the alias */
  readonly name?: string;
  /** What plans call it. @default the ids on the way from the organization to the construct, joined with `-` */
  readonly alias?: string;
}

/** A team that is there. */
export class Team extends Construct {
  readonly alias: string;
  readonly props: TeamProps;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    this.alias = props.alias ?? defaultName(this);
    this.props = props;
  }
}
