import type { Action } from '../../model/change.ts';
import type { Report } from '../report.ts';

/** How the same comparison is told: of what will be done, of what was done, or of what is found. */
export interface Wording {
  readonly title: string;
  /** What a change does, and what a card says of many. */
  readonly actions: Readonly<Record<Action, string>>;
  readonly cards: Readonly<Record<Action, string>>;
  readonly unchanged: string;
  /** What is said of the two sides of a field, where an arrow does not. */
  readonly before: string;
  readonly after: string;
  /** What an arrow of the sharing picture means that stands on one side only. */
  readonly added: string;
  readonly removed: string;
}

const planned = {
  actions: { create: 'create', update: 'update', delete: 'delete' },
  unchanged: 'unchanged',
  before: '',
  after: '',
} as const;

const wordings: Readonly<Record<Report['kind'], Wording>> = {
  validate: {
    title: 'Validation',
    cards: { create: 'to create', update: 'to update', delete: 'to delete' },
    added: 'added',
    removed: 'removed',
    ...planned,
  },
  plan: {
    title: 'Plan',
    cards: { create: 'to create', update: 'to update', delete: 'to delete' },
    added: 'the plan adds',
    removed: 'the plan removes',
    ...planned,
  },
  apply: {
    title: 'Apply result',
    cards: { create: 'creates', update: 'updates', delete: 'deletes' },
    added: 'the plan adds',
    removed: 'the plan removes',
    ...planned,
  },
  drift: {
    title: 'Drift',
    actions: { create: 'missing', update: 'changed', delete: 'surplus' },
    cards: { create: 'missing', update: 'changed', delete: 'surplus' },
    unchanged: 'as declared',
    before: 'live',
    after: 'declared',
    added: 'declared, not live',
    removed: 'live, not declared',
  },
};

export function wordingOf(kind: Report['kind']): Wording {
  return wordings[kind];
}
