/** Opens what is folded before the page is printed, and folds it again. */
export const printScript = `
let opened = [];
addEventListener('beforeprint', () => {
  opened = Array.from(document.querySelectorAll('details:not([open])'));
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
});
`;
