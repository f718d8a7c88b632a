/*
 * The script of the page, as one bundle. It reads attributes and writes text and classes, so that nothing in
 * a report can become markup.
 */
import { figure } from '../../words.ts';

/** Opens every fold before the page is printed, and closes them again. */
function openFoldsForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const details of opened) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
}

/** A link into a fold opens it, also the link that the page was opened with. */
function openFoldsForLinks(): void {
  const open = () => {
    const target = linkTarget();
    if (target && unfold(target)) setTimeout(() => target.scrollIntoView());
  };
  addEventListener('hashchange', open);
  open();
}

startFilters();
openFoldsForLinks();
openFoldsForPrint();

/** Starts the filter form of every list of changes, or of the root files with their lists. */
function startFilters(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-filters]')) {
    const id = form.dataset.filters ?? '';
    const list = document.getElementById(id);
    const status = document.querySelector<HTMLElement>(`[data-status="${id}"]`);
    if (list && status) startFilter(form, list, status);
  }
}

function startFilter(form: HTMLFormElement, list: HTMLElement, status: HTMLElement): void {
  const items = [...list.querySelectorAll<HTMLElement>('.change')];
  const groups = [...list.querySelectorAll<HTMLElement>('.change-group')];
  const roots = startRoots(list);
  const parts = [...list.querySelectorAll<HTMLElement>('.part')];
  // A change can be in two parts.
  const total = countItems(items);
  const textOf = lowerCaseTexts();
  const all = status.textContent;
  const noun = status.dataset.noun ?? '';
  const apply = () => {
    const filter = filterOf(new FormData(form));
    for (const item of items) item.hidden = !fits(item, filter, textOf);
    const shown = countItems(items.filter((item) => !item.hidden));
    for (const group of groups) group.hidden = group.querySelector('.change:not([hidden])') === null;
    const isFiltering = items.some((item) => item.hidden);
    for (const part of parts) {
      part.hidden = isFiltering && part.querySelector('.change:not([hidden])') === null;
      if (isFiltering && part instanceof HTMLDetailsElement) part.open = true;
    }
    const where = roots.show(isFiltering);
    if (!isFiltering) status.textContent = all;
    else
      status.textContent =
        shown === 0 ? `No ${noun} match.` : `${figure(shown)} of ${figure(total)} ${noun}${where}`;
  };
  const reveal = () => {
    const target = linkTarget();
    if (!target?.closest('[hidden]') || !list.contains(target)) return;
    form.reset();
    // Once no filter applies, a root file is folded as it was before.
    setTimeout(() => {
      unfold(target);
      target.scrollIntoView();
    });
  };
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  // The reset event comes before the fields have their first values again.
  form.addEventListener('reset', () => setTimeout(apply));
  addEventListener('hashchange', reveal);
  // A browser may keep the chosen values when the page is loaded again.
  apply();
}

function countItems(items: readonly HTMLElement[]): number {
  return new Set(items.map((item) => item.dataset.also ?? item.id)).size;
}

/** The element that the link of the page leads to. */
function linkTarget(): Element | null {
  return location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
}

/** Opens every fold around an element. Returns whether one was closed. */
function unfold(target: Element): boolean {
  let isFolded = false;
  for (let fold = target.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) {
    isFolded ||= !fold.open;
    fold.open = true;
  }
  return isFolded;
}

interface Roots {
  /** Shows only the root files with changes that match, or all as before. Returns how many, as words. */
  show(isFiltering: boolean): string;
}

function startRoots(list: HTMLElement): Roots {
  const roots = [...list.querySelectorAll<HTMLElement>('.root')];
  /** The folds that were open before the filter. */
  let before: ReadonlySet<HTMLElement> | undefined;
  const foldOf = (root: HTMLElement) => root.querySelector('details');
  return {
    show: (isFiltering) => {
      if (isFiltering) before ??= new Set(roots.filter((root) => foldOf(root)?.open));
      let shown = 0;
      for (const root of roots) {
        const fold = foldOf(root);
        root.hidden = isFiltering && root.querySelector('.change:not([hidden])') === null;
        if (!root.hidden) shown += 1;
        if (fold && (isFiltering || before)) fold.open = isFiltering || (before?.has(root) ?? false);
      }
      if (!isFiltering) before = undefined;
      return roots.length > 0 ? ` in ${figure(shown)} of ${figure(roots.length)} root files` : '';
    },
  };
}

/** What a form asks for. Nothing chosen in a group means all of the group. */
interface Filter {
  readonly words: readonly string[];
  /** The number of a project, or an empty text. */
  readonly project: string;
  readonly chosen: readonly (readonly [group: 'action' | 'kind' | 'result', values: readonly string[]])[];
}

function filterOf(data: FormData): Filter {
  const groups = ['action', 'kind', 'result'] as const;
  return {
    words: String(data.get('text')).toLowerCase().split(/\s+/).filter(Boolean),
    project: String(data.get('project') ?? ''),
    chosen: groups.map((group) => [group, data.getAll(group).map(String)]),
  };
}

function fits(
  item: HTMLElement,
  { words, project, chosen }: Filter,
  textOf: (item: HTMLElement) => string,
): boolean {
  const { dataset } = item;
  if (!chosen.every(([group, values]) => values.length === 0 || values.includes(dataset[group] ?? '')))
    return false;
  if (project !== '' && !(dataset.projects ?? '').split(' ').includes(project)) return false;
  return words.every((word) => textOf(item).includes(word));
}

/** The text of each item in lower case, made when a search first needs it. */
function lowerCaseTexts(): (item: HTMLElement) => string {
  const texts = new Map<HTMLElement, string>();
  return (item) => {
    const known = texts.get(item);
    if (known !== undefined) return known;
    const text = item.textContent.toLowerCase();
    texts.set(item, text);
    return text;
  };
}
