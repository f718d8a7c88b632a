import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readBoundedFile } from '../model/files.ts';
import { isRecord } from '../model/value.ts';
import { type Message, messagesAbout, type Outgoing } from '../report/message.ts';
import type { ReportEntry, ReportKind } from '../report/report.ts';
import type { RunContext } from '../run/context.ts';
import type { CycleOutcome } from '../run/cycle/create-cycle.ts';
import { writeFile } from '../run/files/write-file.ts';
import { sendMessages } from '../run/messages.ts';
import type { Log } from './log.ts';

/** Sends the messages about a cycle. It takes 10 seconds at most, and never throws. */
export type WatchMessages = (outcome: CycleOutcome) => Promise<void>;

/** What was sent last, by root file and receiver: the event, and a digest of the text. Absent if nothing was left to report. */
type Last = Map<string, { readonly event: Message['event']; readonly digest: string }>;

type Keyed = Outgoing & { readonly key: string };

/**
 * Sends a message about a root file if it differs from the one that the receiver got last. A message that is not delivered is
 * sent again after the next cycle. What was sent is kept in a file, so that a restart repeats no message.
 */
export async function createWatchMessages(
  context: RunContext,
  log: Log,
  { kind, stop }: { readonly kind: ReportKind; readonly stop: AbortSignal },
): Promise<WatchMessages> {
  const file = resolve(context.io.cwd, '.attune', 'messages.json');
  const { last, problem: unread } = readLast(file);
  if (unread !== undefined)
    log('warn', { event: 'message', message: `messages can be repeated: ${file}: ${unread}` });
  let roots: readonly ReportEntry[] = [];
  let isWarned = false;

  return async (outcome) => {
    if (outcome.organizations.length > 0) roots = outcome.organizations.flatMap((one) => one.roots);
    const at = context.io.date();
    const messages = entriesOf(outcome, roots).flatMap((entry) => messagesOf(entry, kind, last, at));
    if (messages.length === 0) return;
    // Changes that were applied have no end to report.
    const isSilent = ({ key, message }: Keyed) =>
      message.event === 'resolved' && last.get(key)?.event === 'applied';
    const wanted = messages.filter((one) => !isSilent(one));
    const { delivered, warnings } = await sendMessages(wanted, context, stop);
    for (const { code, message, hint } of warnings)
      log('warn', { event: 'message', message: `[${code}] ${message}; hint: ${hint}` });
    const done = new Set<Outgoing>(delivered);
    for (const one of messages) {
      const { key, message } = one;
      if (!done.has(one) && !isSilent(one)) continue;
      if (message.event === 'resolved') last.delete(key);
      else last.set(key, { event: message.event, digest: digestOf(message) });
    }
    const problem = await writeLast(file, last);
    if (problem === undefined || isWarned) return;
    isWarned = true;
    log('warn', { event: 'message', message: `a restart can repeat messages: ${problem}` });
  };
}

/**
 * One entry for each root file of which the cycle shows something. An error of the files is about each of `roots`, and one
 * of an organization about each root file of it that has no own error.
 */
function entriesOf(
  { refused, organizations }: CycleOutcome,
  roots: readonly ReportEntry[],
): readonly ReportEntry[] {
  if (refused.length > 0) return withErrors(roots, refused);
  const entries = organizations.flatMap((one) => {
    if (one.found) return withErrors(one.found.entries, one.errors);
    return one.errors.length > 0 ? withErrors(one.roots, one.errors) : [];
  });
  return [...new Map(entries.map((entry) => [rootKey(entry), entry] as const).toReversed()).values()];
}

function withErrors(entries: readonly ReportEntry[], errors: readonly ReportEntry[]): ReportEntry[] {
  return entries.map((entry) => {
    const own = errors.filter(({ file }) => file === entry.file);
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
    const isSent = message.event === 'resolved' ? before === undefined : before?.digest === digestOf(message);
    return isSent ? [] : [{ key, receiver, message }];
  });
}

/** Of the text of a message, without its time. */
function digestOf({ title, summary, lines, more }: Message): string {
  return createHash('sha256')
    .update(JSON.stringify([title, summary, lines, more]))
    .digest('hex');
}

const format = 'attune.messages/1';
/** Of thousands of root files and receivers. */
const largestFile = 8 * 1024 * 1024;

/** Without a file nothing was sent yet. One that cannot be read counts as none, and the next one replaces it. */
function readLast(file: string): { readonly last: Last; readonly problem?: string | undefined } {
  const last: Last = new Map();
  try {
    const { bytes } = readBoundedFile(file, largestFile);
    if (bytes === undefined) return { last, problem: `it has more than ${largestFile} bytes` };
    const content: unknown = JSON.parse(bytes.toString());
    if (!isRecord(content) || content.format !== format || !isRecord(content.last))
      return { last, problem: `its format is not ${format}` };
    return { last: new Map(Object.entries(content.last)) as Last };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { last, problem: isMissing ? undefined : (error as Error).message };
  }
}

async function writeLast(file: string, last: Last): Promise<string | undefined> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${JSON.stringify({ format, last: Object.fromEntries(last) }, undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
