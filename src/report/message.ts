import { type AppliedChange, isMade } from '../model/apply-result.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { PlanSummary } from '../model/plan.ts';
import { type MessageEvent, messageEvents, type Receiver, type ReceiverKind } from '../model/rules.ts';
import { escapeControls } from './escape-controls.ts';
import { hasDrift, resultCounts } from './figures.ts';
import { rankedFindings, titleOf } from './findings.ts';
import type { Item } from './items.ts';
import type { Report, ReportEntry } from './report.ts';
import { type EntryView, reportView } from './report-view.ts';
import { shownLine } from './values.ts';
import { placeText, shortenedLabel } from './words.ts';

/** A message about one root file: the body that a webhook gets (schemas/message.schema.json). */
export interface Message {
  readonly format: 'attune.message/1';
  /** `resolved` is sent by `attune watch` alone: nothing of what the last message reported is left. */
  readonly event: MessageEvent | 'resolved';
  readonly organization: string;
  /** The root file as a path from the working folder. */
  readonly root?: string | undefined;
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
  readonly link?: string | undefined;
  /** Absent if there is no plan. After an apply, the results of the changes. */
  readonly counts?:
    | (PlanSummary & Partial<ReturnType<typeof resultCounts>> & { readonly undeclared: number })
    | undefined;
}

const mostLines = 10;
const longestLine = 250;

export interface Outgoing {
  readonly receiver: Receiver;
  readonly message: Message;
}

export function messagesAbout(
  report: Report,
  about: { readonly command?: string; readonly at: Date; readonly link?: string | undefined },
): readonly Outgoing[] {
  const { at, link } = about;
  const view = reportView(report);
  return report.entries.flatMap((entry, root) => {
    const { receivers = [], plan, result, file } = entry;
    const shown = view.entries[root];
    if (shown === undefined || receivers.length === 0) return [];
    const { organization = '', summary } = shown;
    const events = eventsOf(entry, shown);
    const found = rankedFindings(view, [root]).flatMap(findingText);
    return receivers.map((receiver): Outgoing => {
      const event = events.find((one) => receiver.on.includes(one)) ?? 'resolved';
      const lines = event === 'resolved' ? [] : found;
      const what = `attune ${about.command ?? report.kind} ${happened[event]}`;
      const message: Message = {
        format: 'attune.message/1',
        event,
        organization,
        root: file && escapeControls(file),
        at: at.toISOString(),
        title: organization === '' ? what : `${organization}: ${what}`,
        summary,
        lines: lines.slice(0, mostLines).map((line) => shortenedLabel(line, longestLine)),
        more: Math.max(0, lines.length - mostLines),
        link,
        counts: plan && {
          ...plan.summary,
          ...(result && resultCounts(result.changes)),
          undeclared: plan.unmanaged.length,
        },
      };
      return { receiver, message };
    });
  });
}

function eventsOf({ plan, result, diagnostics }: ReportEntry, { risks, status }: EntryView): MessageEvent[] {
  const isLeft = result ? !result.changes.every(isMade) : true;
  const { changes = [] } = result ?? plan ?? {};
  const held = changes.flatMap((change) => change.held ?? []);
  const is: Readonly<Record<MessageEvent, boolean>> = {
    failed: hasErrors(diagnostics) || status === 'unplanned' || (result?.changes.some(hasFailed) ?? false),
    applied: result?.changes.some(({ result: ending }) => ending === 'done' || ending === 'partial') ?? false,
    attention: (isLeft && risks > 0) || held.some(({ by }) => by === 'freeze'),
    drift: plan !== undefined && (result ? isLeft : hasDrift(plan)),
  };
  return messageEvents.filter((event) => is[event]);
}

/** A skipped change has not failed: `watch` skips what its mode does not apply. Neither has one that a window holds. */
function hasFailed({ result }: AppliedChange): boolean {
  return result === 'failed' || result === 'partial';
}

function findingText(item: Item): string[] {
  const { level, diagnostic, rule, head, place, detail = '', rest, outcome, risks = [], risk } = item;
  if (rule === 'no-longer-declared') return [];
  if (rule === 'held') return [`${titleOf(item)}: ${item.members?.map((one) => one.head).join(', ')}`];
  const why = risk ? detail : risks.join('; ');
  // Other reasons can differ in each cycle of `watch`, which would send them again.
  const reason = outcome === 'held' ? rest.slice(0, 1).map(shownLine) : [];
  const what = [diagnostic ? head : titleOf(item), ...reason].join(': ');
  const text = `${what}${why === '' ? '' : ` (needs attention: ${why})`}`;
  if (!diagnostic) return [text];
  return [`${level}: ${place ? `${placeText(place)}: ` : ''}${text}`];
}

const happened: Readonly<Record<Message['event'], string>> = {
  failed: 'failed',
  applied: 'made changes',
  attention: 'found changes that need attention',
  drift: 'found differences',
  resolved: 'has nothing more to report',
};

export const payloadOf: Readonly<Record<ReceiverKind, (message: Message) => unknown>> = {
  slack: (message) => ({ text: slackText(message) }),
  webhook: (message) => message,
};

function slackText({ title, summary, lines, more, link, organization, root, at }: Message): string {
  const found = [title, summary, ...lines, more > 0 ? `and ${more} more` : []].flat();
  const about = [organization, root, at].filter((part) => part !== undefined && part !== '').join(' · ');
  // Slack interprets <, > and &: as a mention of a channel, for example.
  const escaped = [...found, about].map((line) =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );
  return [...escaped, link === undefined ? [] : `<${link}|CI job>`].flat().join('\n');
}
