import { type AppliedChange, endingOf, isMade } from '../model/apply-result.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { PlannedChange, PlanSummary } from '../model/plan.ts';
import type { MessageEvent, ReceiverKind } from '../model/receiver.ts';
import { escapeControls } from './escape-controls.ts';
import { findingsOf, rankedFindings } from './findings.ts';
import type { Report, ReportEntry } from './report.ts';
import { type EntryView, reportView } from './report-view.ts';
import { hasDrift } from './summaries.ts';
import { shortenedLabel } from './words.ts';

/** A message about one root file: the body that a webhook gets (schemas/message.schema.json). */
export interface Message {
  readonly format: 'attune.message/1';
  readonly event: MessageEvent;
  /** Only of `attune watch`, which sends a message when a state begins and when it ends. */
  readonly state?: 'began' | 'ended';
  readonly organization: string;
  /** The root file as a path from the working folder. */
  readonly root?: string;
  /** A timestamp in UTC. */
  readonly at: string;
  /** What happened, in one line. */
  readonly title: string;
  /** The figures, in one line. */
  readonly summary: string;
  /** The most important findings, one line each: errors, then risks, then other changes, then what is held. */
  readonly lines: readonly string[];
  /** The number of findings that `lines` leaves out. */
  readonly more: number;
  /** The page of the CI job. */
  readonly link?: string;
  /** Absent if there is no plan. */
  readonly counts?: PlanSummary & { readonly undeclared: number };
}

const mostLines = 10;
/** Characters. Slack takes 3,000 in a block, and Teams 28 KB in a card. */
const longestLine = 250;

/** What begins and ends. Changes that a freeze window holds are a separate state, beside risks. */
export type MessageState = MessageEvent | 'frozen';

/** The states of an entry, the most important first. */
export function statesOf(
  { plan, result, diagnostics }: ReportEntry,
  view: EntryView,
): readonly MessageState[] {
  const isLeft = result ? !result.changes.every(isMade) : true;
  const is: Readonly<Record<MessageState, boolean>> = {
    failed: hasErrors(diagnostics) || (result?.changes.some(hasFailed) ?? false),
    applied: result?.changes.some((change) => change.result === 'done') ?? false,
    attention: isLeft && (view.plan?.risks.length ?? 0) > 0,
    frozen: plan?.changes.some(isFrozen) ?? false,
    drift: plan !== undefined && (result ? isLeft : hasDrift(plan)),
  };
  return (Object.keys(is) as MessageState[]).filter((state) => is[state]);
}

/** The event that receivers of messages about a state name. */
export function eventOf(state: MessageState): MessageEvent {
  return state === 'frozen' ? 'attention' : state;
}

/** A skipped change has not failed: `watch` skips what its mode does not apply. */
function hasFailed(change: AppliedChange): boolean {
  return !isMade(change) && endingOf(change) !== 'skipped';
}

function isFrozen({ held = [] }: PlannedChange): boolean {
  return held.some(({ by }) => by === 'freeze');
}

export interface MessageOptions {
  readonly about: MessageState;
  /** Absent if the message is about a run, and not about a state that begins or ends. */
  readonly state?: NonNullable<Message['state']>;
  readonly at: Date;
  readonly link?: string | undefined;
}

export function messageOf(
  entry: ReportEntry,
  view: EntryView,
  { about, state, at, link }: MessageOptions,
): Message {
  const { plan } = entry;
  const { organization = '', kind, summary } = view;
  const lines = state === 'ended' ? [] : [...findingLines(view), ...heldTexts(view)];
  const event = eventOf(about);
  const what = state === undefined ? happened[event](kind) : states[state][about];
  return {
    format: 'attune.message/1',
    event,
    ...(state !== undefined && { state }),
    organization,
    ...(entry.file !== undefined && { root: escapeControls(entry.file) }),
    at: at.toISOString(),
    title: organization === '' ? what : `${organization}: ${what}`,
    summary,
    lines: lines.slice(0, mostLines).map((line) => shortenedLabel(line, longestLine)),
    more: Math.max(0, lines.length - mostLines),
    ...(link !== undefined && { link }),
    ...(plan && { counts: { ...plan.summary, undeclared: plan.unmanaged.length } }),
  };
}

function findingLines({ failed: _failed, ...view }: EntryView): readonly string[] {
  // Without `failed`, a diagnostic without a line gets no place.
  const findings = rankedFindings(findingsOf(view, { grouped: true })).filter(
    ({ rule }) => rule !== 'no-longer-declared',
  );
  return findings.map(({ level, about, rule, place, risks = [], lines: [first = ''] }) => {
    const label = rule === 'risk' ? '' : 'needs attention: ';
    const why = risks.length > 0 ? ` (${label}${risks.join('; ')})` : '';
    if (about !== 'diagnostic') return `${first}${why}`;
    return `${level}: ${place === undefined ? '' : `${place.file}:${place.line}: `}${first}${why}`;
  });
}

/** One line for each reason, with the changes that wait for it. */
function heldTexts({ plan }: EntryView): readonly string[] {
  const groups = plan?.held?.groups ?? [];
  return groups.map(({ reason, changes }) => {
    const addresses = changes.map(({ address }) => address).join(', ');
    return `held by ${reason}: ${addresses}`;
  });
}

/** The entries of a report that have receivers, with what formats show of them. */
export function entriesToReport(
  report: Report,
): readonly { readonly entry: ReportEntry; readonly view: EntryView }[] {
  const { entries } = reportView(report);
  return report.entries.flatMap((entry, index) => {
    const view = entries[index];
    return view && entry.receivers?.length ? [{ entry, view }] : [];
  });
}

const happened: Readonly<Record<MessageEvent, (kind: string) => string>> = {
  failed: (kind) => `attune ${kind} failed`,
  applied: (kind) => `attune ${kind} made changes`,
  attention: (kind) => `attune ${kind} found changes that need attention`,
  drift: (kind) => `attune ${kind} found differences`,
};

const states: Readonly<Record<NonNullable<Message['state']>, Readonly<Record<MessageState, string>>>> = {
  began: {
    failed: 'attune watch fails',
    applied: 'attune watch made changes',
    attention: 'changes need attention',
    frozen: 'a freeze window holds changes',
    drift: 'the live state differs from the files',
  },
  ended: {
    failed: 'attune watch works again',
    applied: 'attune watch makes no more changes',
    attention: 'no change needs attention any more',
    frozen: 'no freeze window holds changes any more',
    drift: 'the live state matches the files again',
  },
};

/** The body of a request that sends a message. */
export const payloadOf: Readonly<Record<ReceiverKind, (message: Message) => unknown>> = {
  slack: slackPayload,
  teams: teamsPayload,
  webhook: (message) => message,
};

function bodyLines({ lines, more }: Message): readonly string[] {
  return more === 0 ? lines : [...lines, `and ${more} more`];
}

function contextText({ organization, root, at }: Message): string {
  return [organization, root, at].filter((part) => part !== undefined && part !== '').join(' · ');
}

/** Blocks of plain text, in which Slack interprets nothing; https://docs.slack.dev/reference/block-kit has the limits. */
function slackPayload(message: Message): unknown {
  const { title, summary, link } = message;
  const plain = (text: string, longest: number) => ({
    type: 'plain_text',
    text: shortenedLabel(text, longest),
    emoji: false,
  });
  const lines = bodyLines(message);
  return {
    // Shown in notifications, where <, > and & are special.
    text: escaped(title),
    blocks: [
      { type: 'header', text: plain(title, 150) },
      { type: 'section', text: plain(summary, 3000) },
      ...(lines.length > 0 ? [{ type: 'section', text: plain(lines.join('\n'), 3000) }] : []),
      ...(link === undefined
        ? []
        : [{ type: 'section', text: { type: 'mrkdwn', text: `<${link}|CI job>` } }]),
      { type: 'context', elements: [plain(contextText(message), 3000)] },
    ],
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** An Adaptive Card for a Workflows webhook. Runs of text are not interpreted as Markdown, as text blocks are. */
function teamsPayload(message: Message): unknown {
  const { title, summary, link } = message;
  const text = (words: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: words, ...style }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            text(title, { weight: 'Bolder', size: 'Medium' }),
            text(summary),
            ...bodyLines(message).map((line) => text(line, { fontType: 'Monospace', size: 'Small' })),
            text(contextText(message), { isSubtle: true, size: 'Small' }),
          ],
          ...(link !== undefined && { actions: [{ type: 'Action.OpenUrl', title: 'CI job', url: link }] }),
        },
      },
    ],
  };
}
