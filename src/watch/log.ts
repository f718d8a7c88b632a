import type { Hold } from '../model/hold.ts';
import { counted } from '../model/text.ts';
import { escapeControls, jsonLine } from '../report/escape-controls.ts';

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

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
  readonly format: LogFormat;
  /** Leaves out events of the level `info`. */
  readonly quiet?: boolean;
  readonly date: () => Date;
  /** Gets each line with its line feed. */
  readonly write: (line: string) => void;
}

export function createLog({ format, quiet = false, date, write }: LogOptions): Log {
  return {
    write(level, event) {
      if (quiet && level === 'info') return;
      const time = date().toISOString();
      if (format === 'json') write(jsonLine({ time, level, ...event }));
      else write(`${time} ${level.padEnd(5)} ${escapeControls(textOf(event))}\n`);
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

const reasons: Readonly<Record<CycleReason, string>> = {
  start: 'first cycle',
  interval: 'interval',
  retry: 'retry after a failure',
  signal: 'SIGHUP',
};

function textOf(event: LogEvent): string {
  switch (event.event) {
    case 'listening':
      return `listening on ${event.url}`;
    case 'cycle-started':
      return `cycle ${event.cycle} started: ${reasons[event.reason]}`;
    case 'planned': {
      const undeclared = event.undeclared > 0 ? `, ${event.undeclared} undeclared` : '';
      const held = event.held > 0 ? `${event.held} held, ` : '';
      return `${event.organization}: ${event.create} to create, ${event.update} to update, ${event.delete} to delete, ${held}${event.unchanged} unchanged${undeclared}`;
    }
    case 'change': {
      const error = event.error === undefined ? '' : `: ${event.error}`;
      return `${event.organization}: ${event.action} ${event.address} ${event.result}${error}`;
    }
    case 'held': {
      const { organization, action, address, by, reason, until, fields } = event;
      const what = fields === undefined ? '' : ` (${fields.join(', ')})`;
      const end = until === undefined ? '' : ` until ${until}`;
      return `${organization}: ${action} ${address}${what} held by ${by}${end}: ${reason}`;
    }
    case 'diagnostic': {
      const { organization, file, line, code, message, hint } = event;
      const where = [organization, file && `${file}:${line}`].filter((part) => part !== undefined);
      return [...where, `[${code}] ${message}${hint === undefined ? '' : `; hint: ${hint}`}`].join(': ');
    }
    case 'cycle-finished': {
      const failures =
        event.result === 'failed' ? `, ${counted(event.failures, 'failed cycle')} in a row` : '';
      const next = event.next === undefined ? '' : `; next cycle in ${event.next} s`;
      return `cycle ${event.cycle} finished: ${event.result} in ${event.seconds} s${failures}${next}`;
    }
    case 'request': {
      const { organization, method, path, status, milliseconds } = event;
      return `${organization}: ${method} ${path} ${status ?? 'no answer'} ${milliseconds} ms`;
    }
    case 'message':
      return event.message;
    case 'stopping':
      return 'stopping: running calls finish, and no new ones start; send the signal again after a second to exit at once';
    case 'stopped':
      return 'stopped';
    default:
      return event satisfies never;
  }
}
