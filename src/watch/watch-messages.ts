import { hasErrors } from '../model/diagnostic.ts';
import { type Message, messagesAbout, type Outgoing } from '../report/message.ts';
import type { ReportEntry, ReportKind } from '../report/report.ts';
import type { RunContext } from '../run/context.ts';
import type { CycleOutcome } from '../run/cycle/create-cycle.ts';
import { sendMessages } from '../run/messages.ts';
import type { Log } from './log.ts';

/** The text that was sent last, by root file and receiver. Absent if nothing was left to report. */
type Last = Map<string, string>;

type Keyed = Outgoing & { readonly key: string };

/**
 * Sends a message about a root file if it differs from the one that the receiver got last. A message that is not delivered is
 * sent again after the next cycle. Sending takes 10 seconds at most, and never throws.
 */
export function createWatchMessages(
  context: RunContext,
  log: Log,
  { kind, stop }: { readonly kind: ReportKind; readonly stop: AbortSignal },
): (outcome: CycleOutcome) => Promise<void> {
  const last: Last = new Map();
  let roots: readonly ReportEntry[] = [];

  return async (outcome) => {
    if (outcome.organizations.length > 0) roots = outcome.organizations.flatMap((one) => one.roots);
    const at = context.io.date();
    const messages = entriesOf(outcome, roots).flatMap((entry) => messagesOf(entry, kind, last, at));
    if (messages.length === 0) return;
    const { delivered, warnings } = await sendMessages(messages, context, stop);
    for (const { code, message, hint } of warnings)
      log('warn', { event: 'message', message: `[${code}] ${message}; hint: ${hint}` });
    const done = new Set<Outgoing>(delivered);
    for (const { key, message } of messages.filter((one) => done.has(one))) {
      if (message.event === 'resolved') last.delete(key);
      else last.set(key, textOf(message));
    }
  };
}

/**
 * One entry for each root file of which the cycle shows something. An error of the files is about each of `roots`, and one
 * of an organization about each root file of it that has no own error.
 */
function entriesOf(outcome: CycleOutcome, roots: readonly ReportEntry[]): readonly ReportEntry[] {
  const { refused, organizations } = outcome;
  if (refused.length > 0) return withErrors(roots, refused);
  const entries = organizations.flatMap((one) => {
    if (one.found) return withErrors(one.found.entries, one.errors);
    return one.errors.length > 0 ? withErrors(one.roots, one.errors) : [];
  });
  return [...new Map(entries.map((entry) => [rootKey(entry), entry] as const).toReversed()).values()];
}

function withErrors(entries: readonly ReportEntry[], errors: readonly ReportEntry[]): ReportEntry[] {
  return entries.map((entry) => {
    const own = errors.filter(({ file, diagnostics }) => file === entry.file && hasErrors(diagnostics));
    const reasons = (own.length > 0 ? own : errors).flatMap(({ diagnostics }) => diagnostics);
    return { ...entry, diagnostics: [...entry.diagnostics, ...reasons] };
  });
}

function rootKey({ plan, organization = plan?.organization ?? '', file = '' }: ReportEntry): string {
  return `${organization} ${file}`;
}

function messagesOf(entry: ReportEntry, kind: ReportKind, last: Last, at: Date): Keyed[] {
  const found = messagesAbout({ kind, entries: [entry] }, { command: 'watch', at });
  return found.flatMap(({ receiver, message }) => {
    const key = `${rootKey(entry)} ${receiver.to} ${receiver.urlEnv}`;
    const before = last.get(key);
    const isSent = message.event === 'resolved' ? before === undefined : before === textOf(message);
    return isSent ? [] : [{ key, receiver, message }];
  });
}

/** Without its time. */
function textOf({ title, summary, lines, more }: Message): string {
  return JSON.stringify([title, summary, lines, more]);
}
