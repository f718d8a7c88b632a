import type { Diagnostic } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';

/** A line of a layer that is wrong for many workspaces is one problem: it is told at the first of them. */
export function toldOnce(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...groupBy(diagnostics, sameProblem).values()].flatMap(([first, ...rest]) => {
    const others = new Set(rest.map(({ address }) => address)).size;
    if (first === undefined || others === 0) return first ?? [];
    return { ...first, message: `${first.message} (and ${counted(others, 'more workspace')})` };
  });
}

/** What is the same for all whom a line concerns; a diagnostic without a place is like no other. */
function sameProblem(diagnostic: Diagnostic): unknown {
  const { severity, code, message, address, location } = diagnostic;
  if (address === undefined || location === undefined) return diagnostic;
  const { file, line, column } = location;
  const name = address.slice(address.indexOf('.') + 1);
  return JSON.stringify([severity, code, message.replaceAll(`"${name}"`, '""'), file, line, column]);
}
