import { distance } from 'fastest-levenshtein';

/** Limits the time that a hint takes. */
const mostCandidates = 5000;

/** The candidate with the smallest edit distance, if that is small enough for a typing error. */
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

/** A hint at the name that was probably meant, or another hint without one. */
export function hintAt(written: string, names: Iterable<string>, otherwise: string): string {
  const near = nearest(written, names);
  return near === undefined || near === written ? otherwise : `did you mean "${near}"?`;
}

/** Two for a word, because swapped letters count as two; none for a single letter, which is near every other. */
function mostChanges(length: number): number {
  return Math.max(Math.min(2, Math.floor(length / 2)), Math.floor(length / 3));
}

/** `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
