import type { LiveScope } from '../live/live-query.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { DeleteMode, State } from '../model/state.ts';

/** What one root file with its includes declares: everything that a plan needs beside the live state. */
export interface Configuration {
  /** The absolute path of the root file. */
  readonly file: string;
  /** The absolute path of its folder; every location is relative to it. */
  readonly folder: string;
  readonly service: ServiceSettings;
  readonly aliases: Aliases;
  readonly desired: State;
  readonly scope?: Scope;
  readonly prune: Prune;
  readonly limits: Limits;
  /** The projects named under `team-access`: id -> as the file writes it. All their grants are read. */
  readonly grantProjects: ReadonlyMap<string, string>;
  /** Warnings and notes; a configuration with errors is never returned. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface ServiceSettings {
  /** Without `/api/v2`; or the word `embedded`. */
  readonly address?: string;
  readonly dialect?: Dialect;
  /** Requests per second. */
  readonly rate?: number;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number;
  /** Absolute path of the embedded service's data. */
  readonly data?: string;
  /** Absolute path of the embedded service's seed. */
  readonly seed?: string;
}

/** Alias -> id, per kind. */
export type Aliases = Readonly<Record<AliasKind, ReadonlyMap<string, string>>>;

/** The live workspaces that this configuration owns: any of the projects, all of the tags, any of the names. */
export type Scope = LiveScope;

export interface Prune {
  readonly workspaces: 'keep' | DeleteMode;
  readonly teamAccess: boolean;
}

export interface Limits {
  readonly deletes?: number;
  /** @default 30 */
  readonly deletePercent: number;
}
