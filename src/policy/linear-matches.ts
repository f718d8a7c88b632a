import { RE2JS } from 're2js';

/** The patterns of a run are few; those that an expression computes can be many. */
const mostPatterns = 1000;
const compiled = new Map<string, RE2JS>();

/** Whether a pattern in the syntax of RE2 matches somewhere in a text. The time is linear in both. */
export function linearMatches(text: string, pattern: string): boolean {
  return patternOf(pattern).test(text);
}

/** Making an instruction of a pattern takes as long as some hundred steps. */
const stepsPerInstruction = 400;

/** The steps of a match: each character can visit each instruction of the pattern. Making a new pattern costs more. */
export function stepsOfMatch(text: string, pattern: string): number {
  const isNew = !compiled.has(pattern);
  const size = patternOf(pattern).programSize();
  return text.length * size + pattern.length + (isNew ? size * stepsPerInstruction : 0);
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
