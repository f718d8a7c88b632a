/*
 * The script of the page, as one bundle. It reads attributes and writes text and classes, so that nothing in
 * a report can become markup.
 */
import { linkTarget, startFilters, unfold } from './filters.ts';

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
