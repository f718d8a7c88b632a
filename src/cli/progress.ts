import type { Progress } from '../run/context.ts';
import type { Io } from './io.ts';

type ServiceEvent = Parameters<Progress['observe']>[0];

const redrawEvery = 100;
const plainLineEvery = 2000;

/** Shows the progress of work: a live line on a terminal, plain lines elsewhere. */
export function createProgress(
  io: Pick<Io, 'stderr'>,
  flags: { readonly quiet?: boolean; readonly verbose?: boolean },
  now: () => number,
): Progress {
  const { stderr } = io;
  const live = stderr.isTerminal && !flags.quiet && !flags.verbose;
  let label = '';
  let total: number | undefined;
  let queued = 0;
  let done = 0;
  let waitedUntil = 0;
  let announcedUntil = 0;
  let startedAt = 0;
  let drawnAt = 0;

  const line = () => {
    const seconds = (now() - startedAt) / 1000;
    const all = total ?? queued;
    const rate = seconds > 0 ? done / seconds : 0;
    const left = rate > 0 && total !== undefined ? `, ${Math.ceil((all - done) / rate)} s left` : '';
    const waits =
      waitedUntil > now() ? `, waiting ${Math.ceil((waitedUntil - now()) / 1000)} s for the rate limit` : '';
    return `${label}: ${done} of ${all}, ${Math.round(rate)}/s${left}${waits}`;
  };
  const draw = (isNews = false) => {
    const isDue = isNews || now() - drawnAt >= (live ? redrawEvery : plainLineEvery);
    if (flags.quiet || label === '' || !isDue) return;
    drawnAt = now();
    if (live) stderr.write(`\r\x1b[2K${line().slice(0, (stderr.columns ?? 80) - 1)}`);
    else stderr.write(`${line()}\n`);
  };

  /** A long wait is reported when it begins. */
  const waitUntil = (moment: number) => {
    const isNews = moment - Math.max(waitedUntil, now()) >= plainLineEvery;
    waitedUntil = Math.max(waitedUntil, moment);
    draw(isNews);
  };

  return {
    begin(newLabel, newTotal) {
      label = newLabel;
      total = newTotal;
      queued = 0;
      done = 0;
      startedAt = now();
      // A plain log shows only phases that take long.
      drawnAt = live ? 0 : startedAt;
      draw();
    },
    step() {
      done += 1;
      draw();
    },
    observe(event) {
      switch (event.type) {
        case 'queued':
          queued += 1;
          return draw();
        case 'finished':
          if (total === undefined) done += 1;
          return draw();
        case 'attempt':
          if (flags.verbose) stderr.write(`${attemptLine(event)}\n`);
          return;
        case 'retry':
          if (flags.verbose)
            stderr.write(`${event.method} ${event.path} again in ${Math.round(event.wait)} ms\n`);
          return;
        case 'unavailable': {
          const isNews = now() >= announcedUntil;
          announcedUntil = Math.max(announcedUntil, now() + event.retryFor * 1000);
          if (isNews && !flags.quiet)
            stderr.write(
              `${event.host} is unavailable; retrying for up to ${event.retryFor} s: ${event.why}\n`,
            );
          return;
        }
        case 'state-pending':
          if (!flags.quiet)
            stderr.write(`the newest state is still being saved; trying again: ${event.why}\n`);
          return;
        case 'throttled':
          return waitUntil(now() + event.wait);
        default:
          event satisfies never;
      }
    },
    end() {
      if (live && label !== '') stderr.write('\r\x1b[2K');
      label = '';
    },
  };
}

function attemptLine(event: Extract<ServiceEvent, { type: 'attempt' }>): string {
  const { method, path, status, milliseconds } = event;
  return `${method} ${path} ${status ?? 'no answer'} ${Math.round(milliseconds)} ms`;
}
