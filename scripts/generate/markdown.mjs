/** A text as the cell of a table: placeholders such as `<file>` outside of code are set as code, because they would be HTML. */
export function cellText(text) {
  const parts = text.replaceAll('|', '\\|').split(/(`[^`]*`)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/<\w+>/g, '`$&`'))).join('');
}
