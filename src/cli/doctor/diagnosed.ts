import type { Configuration } from '../../desired/configuration.ts';
import type { OrganizationFacts } from '../../live/access-facts.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Connection } from '../../run/connect.ts';
import type { Session } from '../session.ts';
import type { CheckList } from './check-list.ts';

/** A root file that is checked. */
export interface Diagnosed {
  readonly configuration: Configuration;
  /** The root file, as it is shown. */
  readonly file: string;
  readonly list: CheckList;
  readonly session: Session;
  /** @throws {AttuneError} if there is no connection. */
  readonly connect: () => Connection;
}

/** What later checks need of the service. */
export interface ServiceFacts {
  readonly dialect: Dialect;
  readonly organization: OrganizationFacts;
}
