import type { Progress } from '../run/context.ts';
import type { Io } from './io.ts';

type ServiceEvent = Parameters<Progress['observe']>[0];

const redrawEvery = 100;
const plainLineEvery = 2000;

/** What is going on, from `begin` to `end`. */
interface Phase {
  readonly label: string;
  /** The number of steps; absent if each request counts. */
  readonly total: number | undefined;
  readonly startedAt: number;
  queued: number;
  done: number;
}

/** Shows the progress of work: a live line on a terminal, plain lines elsewhere. */
export function createProgress(
  io: Pick<Io, 'stderr'>,
  flags: { readonly quiet?: boolean; readonly verbose?: boolean },
  now: () => number,
): Progress {
  const { stderr } = io;
  const live = stderr.isTerminal && !flags.quiet && !flags.verbose;
  let phase: Phase | undefined;
  let waitedUntil = 0;
  let announcedUntil = 0;
  let drawnAt = 0;

  const draw = (isNews = false) => {
    const isDue = isNews || now() - drawnAt >= (live ? redrawEvery : plainLineEvery);
    if (flags.quiet || phase === undefined || !isDue) return;
    drawnAt = now();
    const line = phaseLine(phase, drawnAt, waitedUntil);
    if (live) stderr.write(`\r\x1b[2K${line.slice(0, (stderr.columns ?? 80) - 1)}`);
    else stderr.write(`${line}\n`);
  };
  const count = (counted: 'queued' | 'done') => {
    if (phase) phase[counted] += 1;
    draw();
  };
  /** A long wait is reported when it begins. */
  const waitUntil = (moment: number) => {
    const isNews = moment - Math.max(waitedUntil, now()) >= plainLineEvery;
    waitedUntil = Math.max(waitedUntil, moment);
    draw(isNews);
  };

  return {
    begin(label, total) {
      phase = { label, total, startedAt: now(), queued: 0, done: 0 };
      // A plain log shows only phases that take long.
      drawnAt = live ? 0 : phase.startedAt;
      draw();
    },
    step: () => count('done'),
    observe(event) {
      switch (event.type) {
        case 'queued':
          return count('queued');
        case 'finished':
          return phase?.total === undefined ? count('done') : draw();
        case 'throttled':
          return waitUntil(now() + event.wait);
        case 'attempt':
        case 'retry':
          if (flags.verbose) stderr.write(`${eventText(event)}\n`);
          return;
        case 'unavailable': {
          const isNews = now() >= announcedUntil;
          announcedUntil = Math.max(announcedUntil, now() + event.retryFor * 1000);
          if (isNews && !flags.quiet) stderr.write(`${eventText(event)}\n`);
          return;
        }
        case 'state-pending':
          if (!flags.quiet) stderr.write(`${eventText(event)}\n`);
          return;
        default:
          event satisfies never;
      }
    },
    end() {
      if (live && phase) stderr.write('\r\x1b[2K');
      phase = undefined;
    },
  };
}

function phaseLine(
  { label, total, startedAt, queued, done }: Phase,
  now: number,
  waitedUntil: number,
): string {
  const seconds = (now - startedAt) / 1000;
  const all = total ?? queued;
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 && total !== undefined ? `, ${Math.ceil((all - done) / rate)} s left` : '';
  const waits =
    waitedUntil > now ? `, waiting ${Math.ceil((waitedUntil - now) / 1000)} s for the rate limit` : '';
  return `${label}: ${done} of ${all}, ${Math.round(rate)}/s${left}${waits}`;
}

function eventText(
  event: Extract<ServiceEvent, { type: 'attempt' | 'retry' | 'unavailable' | 'state-pending' }>,
): string {
  switch (event.type) {
    case 'attempt': {
      const { method, path, status, milliseconds } = event;
      return `${method} ${path} ${status ?? 'no answer'} ${Math.round(milliseconds)} ms`;
    }
    case 'retry':
      return `${event.method} ${event.path} again in ${Math.round(event.wait)} ms`;
    case 'unavailable':
      return `${event.host} is unavailable; retrying for up to ${event.retryFor} s: ${event.why}`;
    case 'state-pending':
      return `the newest state is still being saved; trying again: ${event.why}`;
  }
}
