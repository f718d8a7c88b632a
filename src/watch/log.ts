import type { Hold } from '../model/rules.ts';
import { jsonLine } from '../report/escape-controls.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** Why a cycle starts. */
export type CycleReason = 'start' | 'interval' | 'retry' | 'signal';

/** One line of the log. All names and members are listed in docs/guides/watch.md. */
export type LogEvent =
  | { readonly event: 'listening'; readonly url: string }
  | { readonly event: 'cycle-started'; readonly cycle: number; readonly reason: CycleReason }
  | {
      readonly event: 'planned';
      readonly cycle: number;
      readonly organization: string;
      readonly create: number;
      readonly update: number;
      readonly delete: number;
      readonly unchanged: number;
      readonly held: number;
      /** Live workspaces in scope that no file declares. */
      readonly undeclared: number;
    }
  | {
      readonly event: 'change';
      readonly cycle: number;
      readonly organization: string;
      readonly address: string;
      readonly action: string;
      readonly result: string;
      readonly error?: string;
    }
  | ({
      readonly event: 'held';
      readonly cycle: number;
      readonly organization: string;
      readonly address: string;
      readonly action: string;
    } & Hold)
  | {
      readonly event: 'diagnostic';
      readonly cycle: number;
      readonly organization?: string;
      readonly code: string;
      readonly message: string;
      readonly hint?: string;
      readonly address?: string;
      readonly file?: string;
      readonly line?: number;
    }
  | {
      readonly event: 'cycle-finished';
      readonly cycle: number;
      readonly result: 'success' | 'failed';
      readonly seconds: number;
      /** The number of failed cycles in a row. */
      readonly failures: number;
      /** Seconds until the next cycle; absent if there is none. */
      readonly next?: number;
    }
  | {
      readonly event: 'request';
      readonly organization: string;
      readonly method: string;
      readonly path: string;
      readonly status?: number;
      readonly milliseconds: number;
    }
  | { readonly event: 'message'; readonly message: string }
  | { readonly event: 'stopping' }
  | { readonly event: 'stopped' };

export interface Log {
  write(level: LogLevel, event: LogEvent): void;
}

export interface LogOptions {
  /** Leaves out events of the level `info`. */
  readonly quiet?: boolean;
  readonly date: () => Date;
  /** Gets each line with its line feed. */
  readonly write: (line: string) => void;
}

export function createLog({ quiet = false, date, write }: LogOptions): Log {
  return {
    write(level, event) {
      if (quiet && level === 'info') return;
      write(jsonLine({ time: date().toISOString(), level, ...event }));
    },
  };
}

/** Milliseconds. Shorter waits are the usual pace. */
const shortestWait = 2000;

/** Logs when the requests of an organization begin to wait for the rate limit, once for all that wait. */
export function createWaitLog(
  log: Log,
  now: () => number,
): (organization: string, milliseconds: number) => void {
  const waitedUntil = new Map<string, number>();
  return (organization, milliseconds) => {
    const known = Math.max(waitedUntil.get(organization) ?? 0, now());
    const until = now() + milliseconds;
    waitedUntil.set(organization, Math.max(known, until));
    if (until - known < shortestWait) return;
    const message = `${organization}: waiting ${Math.ceil(milliseconds / 1000)} s for the rate limit`;
    log.write('warn', { event: 'message', message });
  };
}
