import { RE2JS } from 're2js';

/** The patterns of a run are few; those that an expression computes can be many. */
const mostPatterns = 1000;
const compiled = new Map<string, RE2JS>();

/** Whether a pattern in the syntax of RE2 matches somewhere in a text. The time is linear in both. */
export function linearMatches(text: string, pattern: string): boolean {
  return patternOf(pattern).test(text);
}

/** Why a pattern is wrong. */
export function patternProblem(pattern: string): string | undefined {
  try {
    patternOf(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function patternOf(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= mostPatterns) compiled.clear();
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}
