import { extname, resolve } from 'node:path';
import { AttuneError, type Diagnostic, usageError } from '../model/diagnostic.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { colored, type Paint, plain, wrapped } from '../report/paint.ts';
import { type ReportFormat, reportExtensions, reportFormats } from '../report/report.ts';
import { renderDiagnostics } from '../report/text/diagnostics-text.ts';
import {
  type Environment,
  masked,
  type Notices,
  type Progress,
  type RunContext,
  secretsIn,
} from '../run/context.ts';
import { writablePath } from '../run/files/write-file.ts';
import { reportFileExtensions, type SessionFlags } from './flags.ts';
import { endedBySignal, type Io, type Sink, stackOf } from './io.ts';

export interface Session extends RunContext {
  readonly io: Io;
  /** How the run reports; what it works on is in `options`. */
  readonly flags: Omit<SessionFlags, keyof RunContext['options']>;
  readonly console: Console;
  readonly reports: Awaited<ReturnType<typeof checkReportFiles>>;
  readonly output: { isIncomplete: boolean };
}

export async function createSession(
  bareIo: Io,
  flags: SessionFlags & { readonly out?: string },
): Promise<Session> {
  const { out, journal, report = [] } = flags;
  const outputs = [out, journal, ...report].flatMap((name) => (name ? resolve(bareIo.cwd, name) : []));
  if (report.length > 0 && new Set(outputs).size < outputs.length)
    throw usageError('two flags name the same output file', 'give each another file');
  const secrets = secretsIn([flags.address, bareIo.env.ATTUNE_ADDRESS]);
  const io = maskSecrets(bareIo, secrets);
  return {
    io,
    flags,
    options: flags,
    secrets,
    runProgram: (command, env) => runProgram(command, env, io),
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
    reports: await checkReportFiles(report, io.cwd),
    output: { isIncomplete: false },
  };
}

function maskSecrets(io: Io, secrets: ReadonlySet<string>): Io {
  const masking = <Inner extends Sink>(inner: Inner): Inner => ({
    ...inner,
    write: (text: string) => inner.write(masked(text, secrets)),
  });
  return { ...io, stdout: masking(io.stdout), stderr: masking(io.stderr) };
}

export async function runProgram(
  command: string,
  env: Environment,
  io: Io,
): ReturnType<RunContext['runProgram']> {
  const interrupts = io.catchInterrupts();
  try {
    const end = await io.runCommand(command, { cwd: io.cwd, env, stop: interrupts.stop });
    const exitCode = interrupts.exitCode();
    if (exitCode !== undefined) throw endedBySignal(exitCode);
    return end;
  } finally {
    interrupts.release();
  }
}

/** What a command prints with: results to stdout, everything else to stderr; sentences except with `--quiet`, stacks with `--verbose`. */
interface Console extends Notices {
  readonly paint: Paint;
  readonly width: number | undefined;
  result(text: string): void;
  /** A result for people, whose lines fit a terminal. */
  text(text: string): void;
  diagnostics(diagnostics: readonly Diagnostic[]): void;
}

function createConsole(io: Io, flags: Pick<SessionFlags, 'noColor' | 'quiet' | 'verbose'>): Console {
  const wantsColour = (sink: Sink) => !flags.noColor && !io.env.NO_COLOR && sink.isTerminal;
  return {
    paint: wantsColour(io.stdout) ? colored : plain,
    width: widthOf(io.stdout),
    result: (text) => io.stdout.write(text),
    text: (text) => io.stdout.write(wrapped(text, widthOf(io.stdout))),
    diagnostics: (diagnostics) => {
      if (diagnostics.length === 0) return;
      const width = widthOf(io.stderr);
      const text = renderDiagnostics(diagnostics, wantsColour(io.stderr) ? colored : plain, width);
      io.stderr.write(wrapped(`${text.trimEnd()}\n`, width));
    },
    inform: (text) => {
      if (!flags.quiet) io.stderr.write(`${escapeControls(text)}\n`);
    },
    unknownError: (error) => {
      if (flags.verbose) io.stderr.write(stackOf(error));
    },
  };
}

function widthOf({ isTerminal, columns }: Sink): number | undefined {
  return isTerminal ? columns : undefined;
}

/** The files that `--report` names, checked before any work is done: an apply must not end without its report. */
async function checkReportFiles(names: readonly string[], cwd: string) {
  const files: { readonly path: string; readonly format: ReportFormat }[] = [];
  for (const name of names) {
    const extension = extname(name).toLowerCase();
    const format = reportFormats.find((one) => reportExtensions[one] === extension);
    if (format === undefined) {
      throw new AttuneError(`--report ${name}: unknown file extension`, {
        code: 'file-not-written',
        hint: `use one of the extensions ${reportFileExtensions.join(', ')}`,
      });
    }
    files.push({ path: await writablePath('--report', name, cwd), format });
  }
  return files;
}

const redrawEvery = 100;
const plainLineEvery = 2000;

interface Phase {
  readonly label: string;
  readonly total: number | undefined;
  readonly startedAt: number;
  queued: number;
  done: number;
}

export function createProgress(
  io: Pick<Io, 'stderr'>,
  flags: { readonly quiet?: boolean; readonly verbose?: boolean },
  now: () => number,
): Progress {
  const { stderr } = io;
  const live = stderr.isTerminal && !flags.quiet && !flags.verbose;
  let phase: Phase | undefined;
  let waitedUntil = 0;
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
  const print = (isShown: boolean | undefined, line: string) => {
    if (isShown) stderr.write(`${line}\n`);
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
        case 'attempt': {
          const { method, path, status, milliseconds } = event;
          return print(
            flags.verbose,
            `${method} ${path} ${status ?? 'no answer'} ${Math.round(milliseconds)} ms`,
          );
        }
        case 'retry':
          return print(flags.verbose, `${event.method} ${event.path} again in ${Math.round(event.wait)} ms`);
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

function phaseLine({ label, total, startedAt, queued, done }: Phase, now: number, waitedUntil: number) {
  const seconds = (now - startedAt) / 1000;
  const all = total ?? queued;
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 && total !== undefined ? `, ${Math.ceil((all - done) / rate)} s left` : '';
  const waits =
    waitedUntil > now ? `, waiting ${Math.ceil((waitedUntil - now) / 1000)} s for the rate limit` : '';
  return `${label}: ${done} of ${all}, ${Math.round(rate)}/s${left}${waits}`;
}
