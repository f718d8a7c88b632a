/*
 * The script of the page, as one bundle. It reads attributes and writes text and classes, so that nothing in
 * a report can become markup.
 */
import { figure } from '../../words.ts';

const form = document.querySelector('form');
const list = document.getElementById('roots');
const status = document.querySelector<HTMLElement>('.status');
if (form && list && status) startFilter(form, list, status);
addEventListener('hashchange', showTarget);
showTarget();

/** Opens every fold around the target of a link, which no filter hides any more. */
function showTarget(): void {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.closest('[hidden]')) form?.reset();
  // Once no filter applies, a root file is folded as it was before.
  setTimeout(() => {
    let fold = target.closest('details');
    for (; fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true;
    target.scrollIntoView();
  });
}

function startFilter(form: HTMLFormElement, list: HTMLElement, status: HTMLElement): void {
  const all = (selector: string) => [...list.querySelectorAll<HTMLElement>(selector)];
  const items = all('[data-action]');
  const [parts, roots] = [all('.group, .part'), all('.root')];
  const folds = [...parts, ...roots].map((one) =>
    one instanceof HTMLDetailsElement ? one : one.querySelector('details'),
  );
  const counts = parts.flatMap((part) => {
    const count = part.querySelector('.count');
    return count ? [{ part, count, text: count.textContent }] : [];
  });
  let before: ReadonlySet<HTMLDetailsElement | null> | undefined;
  // A change can be in two parts.
  const total = countItems(items);
  const unfiltered = status.textContent;
  const noun = status.dataset.noun ?? '';
  const apply = () => {
    const fits = filterOf(new FormData(form));
    for (const item of items) item.hidden = !fits(item);
    const shown = items.filter((item) => !item.hidden);
    const isFiltering = shown.length < items.length;
    if (isFiltering) before ??= new Set(folds.filter((fold) => fold?.open));
    for (const one of [...parts, ...roots])
      one.hidden = isFiltering && one.querySelector('[data-action]:not([hidden])') === null;
    for (const { part, count, text } of counts) {
      const found = part.querySelectorAll('[data-action]:not([hidden])').length;
      count.textContent = isFiltering ? `${figure(found)} of ${text}` : text;
    }
    list.classList.toggle('filtered', isFiltering);
    if (before) for (const fold of folds) if (fold) fold.open = isFiltering || before.has(fold);
    if (!isFiltering) before = undefined;
    const files = roots.filter((root) => !root.hidden);
    const where = roots.length > 0 ? ` in ${figure(files.length)} of ${figure(roots.length)} root files` : '';
    const count = countItems(shown);
    const figures =
      count === 0 ? `No ${noun} match.` : `${figure(count)} of ${figure(total)} ${noun}${where}`;
    status.textContent = isFiltering ? figures : unfiltered;
  };
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  // The reset event comes before the fields have their first values again.
  form.addEventListener('reset', () => setTimeout(apply));
  // A browser may keep the chosen values when the page is loaded again.
  apply();
}

function countItems(items: readonly HTMLElement[]): number {
  return new Set(items.map((item) => item.dataset.also ?? item.id)).size;
}

/** Whether an item has all words, and one of the chosen values of each group. Nothing chosen means all of a group. */
function filterOf(data: FormData): (item: HTMLElement) => boolean {
  const words = String(data.get('text')).toLowerCase().split(/\s+/).filter(Boolean);
  const groups = ['action', 'kind', 'result'] as const;
  const chosen = groups.map((group) => [group, data.getAll(group)] as const);
  return ({ dataset, textContent }) => {
    if (!chosen.every(([group, values]) => values.length === 0 || values.includes(dataset[group] ?? '')))
      return false;
    const text = textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
