import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageEvents, type Receiver } from '../model/receiver.ts';
import { isRecord } from '../model/value.ts';
import { entriesToReport, eventOf, type MessageState, messageOf, statesOf } from '../report/message.ts';
import type { ReportEntry, ReportKind } from '../report/report.ts';
import type { RunContext } from '../run/context.ts';
import type { CycleOutcome } from '../run/cycle/outcome.ts';
import { writeFile } from '../run/files/write-file.ts';
import { type Outgoing, sendMessages } from '../run/messages.ts';
import type { Log } from './log.ts';

/** Sends the messages about a cycle. It takes 10 seconds at most, and never throws. */
export type StateMessages = (outcome: CycleOutcome) => Promise<void>;

/** The states that began and did not end, by root file and receiver. */
type Known = Map<string, ReadonlySet<MessageState>>;

const messageStates: readonly MessageState[] = [...messageEvents, 'frozen'];

/** A message about a state that begins or ends, and the key of its receiver. */
interface Transition extends Outgoing {
  readonly key: string;
  readonly about: MessageState;
}

/**
 * Sends a message when a state of a root file begins and when it ends: a failure, a difference, something that needs
 * attention, changes that a freeze window holds. Applied changes have a beginning alone. A message that is not delivered is sent again after the next cycle.
 * The states are kept in a file, so that a restart repeats no message.
 *
 * @param options The kind of the reports, and the signal after which nothing more is sent.
 */
export async function createStateMessages(
  context: RunContext,
  log: Log,
  { kind, stop }: { readonly kind: ReportKind; readonly stop: AbortSignal },
): Promise<StateMessages> {
  const file = resolve(context.io.cwd, '.attune', 'messages.json');
  const { known, problem: unread } = await readKnown(file);
  if (unread !== undefined)
    log.write('warn', { event: 'message', message: `messages can be repeated: ${file}: ${unread}` });
  /** The last valid root files. */
  let roots: readonly ReportEntry[] = [];
  let isWarned = false;

  return async (outcome) => {
    if (outcome.organizations.length > 0) roots = outcome.organizations.flatMap((one) => one.roots);
    const transitions = entriesOf(outcome, roots).flatMap((entry) =>
      transitionsOf(entry, kind, known, context),
    );
    if (transitions.length === 0) return;
    const silent = transitions.filter(
      ({ message }) => message.event === 'applied' && message.state === 'ended',
    );
    const { delivered, warnings } = await sendMessages(
      transitions.filter((one) => !silent.includes(one)),
      context,
      stop,
    );
    for (const { code, message, hint } of warnings)
      log.write('warn', { event: 'message', message: `[${code}] ${message}; hint: ${hint}` });
    const done = new Set<Outgoing>([...silent, ...delivered]);
    for (const one of transitions) {
      if (!done.has(one)) continue;
      const states = new Set(known.get(one.key));
      if (one.message.state === 'began') states.add(one.about);
      else states.delete(one.about);
      known.set(one.key, states);
    }
    const problem = await writeKnown(file, known);
    if (problem === undefined || isWarned) return;
    isWarned = true;
    log.write('warn', { event: 'message', message: `a restart can repeat messages: ${problem}` });
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

/** The states that begin and end with an entry. Without a plan only the failure is known. */
function transitionsOf(
  entry: ReportEntry,
  kind: ReportKind,
  known: Known,
  { io }: Pick<RunContext, 'io'>,
): Transition[] {
  const [shown] = entriesToReport({ kind, entries: [entry] });
  if (shown === undefined) return [];
  const now = statesOf(entry, shown.view);
  const determined = entry.plan ? messageStates : (['failed'] as const);
  return (entry.receivers ?? []).flatMap((receiver) => {
    const key = `${rootKey(entry)} ${receiverKey(receiver)}`;
    const before = known.get(key) ?? new Set();
    return determined.flatMap((about): Transition[] => {
      const holds = now.includes(about);
      if (!receiver.on.includes(eventOf(about)) || holds === before.has(about)) return [];
      const state = holds ? 'began' : 'ended';
      const message = messageOf(entry, shown.view, { about, state, at: io.date() });
      return [{ key, about, receiver, message }];
    });
  });
}

function receiverKey({ to, urlEnv }: Receiver): string {
  return `${to} ${urlEnv}`;
}

const format = 'attune.messages/1';

/** Without a file nothing was sent yet. One that cannot be read counts as none, and the next one replaces it. */
async function readKnown(file: string): Promise<{ readonly known: Known; readonly problem?: string }> {
  const nothing: Known = new Map();
  try {
    const content: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isRecord(content) || content.format !== format || !isRecord(content.states))
      return { known: nothing, problem: `its format is not ${format}` };
    const states = Object.entries(content.states).map(
      ([key, list]) =>
        [key, new Set(messageStates.filter((one) => Array.isArray(list) && list.includes(one)))] as const,
    );
    return { known: new Map(states) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { known: nothing, ...(!isMissing && { problem: (error as Error).message }) };
  }
}

/** @returns why it could not be written */
async function writeKnown(file: string, known: Known): Promise<string | undefined> {
  const states = Object.fromEntries([...known].map(([key, events]) => [key, [...events]]));
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ format, states }, undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
