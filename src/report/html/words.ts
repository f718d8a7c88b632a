/** `1 change`, `2,000 changes`. */
export function countedFigure(count: number, noun: string, plural = `${noun}s`): string {
  return `${figure(count)} ${count === 1 ? noun : plural}`;
}

/** A number with its thousands apart, the same on every machine. */
export function figure(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Text that is not longer than so many characters; what is cut is told. */
export function shortenedLabel(text: string, longest: number): string {
  const characters = [...text.slice(0, longest * 2 + 2)];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
