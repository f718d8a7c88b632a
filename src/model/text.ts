import { distance } from 'fastest-levenshtein';

/** Comparing with more than these takes longer than a hint is worth. */
const mostCandidates = 5000;

/** What is likely meant: the candidate with the fewest letters to change, if that is only a few. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  const most = mostChanges(written.length);
  let best: string | undefined;
  let bestDistance = most + 1;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > mostCandidates) break;
    if (Math.abs(candidate.length - written.length) >= bestDistance) continue;
    const letters = distance(written.toLowerCase(), candidate.toLowerCase());
    if (letters < bestDistance) {
      best = candidate;
      bestDistance = letters;
    }
  }
  return best;
}

/** Two for a word with two letters swapped; none for a single letter, which is near to every other. */
function mostChanges(length: number): number {
  return Math.max(Math.min(2, Math.floor(length / 2)), Math.floor(length / 3));
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
