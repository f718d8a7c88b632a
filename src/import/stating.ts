import type { Live } from '../live/read-live.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { Aliases } from './aliases.ts';
import type { Notices } from './notices.ts';
import type { StatementPath } from './statement.ts';

export interface StatingContext {
  readonly live: Live;
  readonly aliases: Aliases;
  readonly notices: Notices;
  /** Values that go without saying are written too. */
  readonly all: boolean;
}

/** What is being put together for one workspace. */
export interface Stating extends StatingContext {
  readonly workspace: WorkspaceResource;
  /** A value that has to be said, or one that goes without saying. */
  say(path: StatementPath, value: Value, isDefault?: boolean): void;
  /** No file can say it. Without a reason nobody misses it. */
  leaveOut(path: StatementPath, reason?: string): void;
}
