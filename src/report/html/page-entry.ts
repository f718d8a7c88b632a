import type { Action } from '../../model/change.ts';
import type { EntryView } from '../entry-view.ts';
import type { OverviewView } from '../joint-overview.ts';
import type { ReportKind } from '../report.ts';
import type { Section } from '../sections.ts';

/** One organization's part of the page, with what its pieces share. */
export interface PageEntry {
  readonly wording: Wording;
  /** The prefix of every id of this part, so that ids are unique on the page. */
  readonly prefix: string;
  readonly view: EntryView;
  readonly sections: readonly Section[];
  /** What was read of its organization, on a page of one root file. */
  readonly overview?: OverviewView | undefined;
  /** The id of the element of a change, by its address. */
  readonly changeIds: ReadonlyMap<string, string>;
}

export function pageEntry(view: EntryView, index: number, sections: readonly Section[]): PageEntry {
  const prefix = `r${index + 1}`;
  const changes = view.plan?.changes ?? [];
  const changeIds = new Map(changes.map(({ address }, position) => [address, `${prefix}-c${position + 1}`]));
  return { wording: wordings[view.kind], prefix, view, sections, changeIds };
}

export const actionSigns = { create: '+', update: '~', delete: '−' } as const;

/** The words for a comparison: planned, applied, or found as drift. */
export interface Wording {
  readonly title: string;
  readonly changes: string;
  readonly changesLead: string;
  readonly eachChange: string;
  /** The word for one change, and the label of a card that counts them. */
  readonly actions: Readonly<Record<Action, string>>;
  /** Without `delete`, what a plan would delete counts as undeclared. */
  readonly cards: Readonly<Record<Exclude<Action, 'delete'>, string>> & { readonly delete?: string };
  readonly unchanged: string;
  /** The labels of the two values of a field, where an arrow is not enough. */
  readonly before: string;
  readonly after: string;
  /** The words for state access that exists on one side only. */
  readonly gained: string;
  readonly lost: string;
  readonly sharingLead: string;
  /** What the two sides of an access matrix are. */
  readonly accessSides: string;
  /** Whether changes have calls. */
  readonly hasCalls: boolean;
}

const planned = {
  changes: 'Changes',
  changesLead: '',
  eachChange: 'Show each change',
  actions: { create: 'create', update: 'update', delete: 'delete' },
  cards: { create: 'to create', update: 'to update', delete: 'to delete' },
  unchanged: 'unchanged',
  before: '',
  after: '',
  gained: 'gained',
  lost: 'lost',
  sharingLead: '',
  accessSides: '',
  hasCalls: true,
} as const;

export const wordings: Readonly<Record<ReportKind, Wording>> = {
  validate: { ...planned, title: 'Validation' },
  export: { ...planned, title: 'Export' },
  plan: { ...planned, title: 'Plan' },
  apply: {
    ...planned,
    title: 'Apply result',
    cards: { create: 'creates', update: 'updates', delete: 'deletes' },
    sharingLead: 'This is the plan; the list of changes shows what was applied.',
  },
  drift: {
    title: 'Drift',
    changes: 'Differences',
    changesLead: '+ marks values that are declared but not live, − values that are live but not declared.',
    eachChange: 'Show each difference',
    actions: { create: 'missing', update: 'changed', delete: 'undeclared' },
    cards: { create: 'missing', update: 'changed' },
    unchanged: 'unchanged',
    before: 'live',
    after: 'declared',
    gained: 'declared, not live',
    lost: 'live, not declared',
    sharingLead: '',
    accessSides: ', live → declared',
    hasCalls: false,
  },
};
