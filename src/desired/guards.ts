import type { Selector } from '../model/selector.ts';
import type { Guards, Protection } from './configuration.ts';
import type { RawFile } from './files/raw-file.ts';
import { locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import { readSelector } from './read-selector.ts';
import type { References } from './references.ts';
import { quote } from './text.ts';

/** The declared guards, with the ids of projects. */
export function readGuards(
  { guards }: Pick<RawFile, 'guards'>,
  context: { readonly loading: Loading; readonly references: References },
): Guards {
  const protect = guards?.protect ?? [];
  const { origins } = context.loading;
  return {
    protect: protect.map((entry, index): Protection => {
      const location = locateValue(origins, protect, index);
      // A name is a pattern, as under `name` of a selector.
      if (typeof entry === 'string') return { selector: { name: entry }, written: quote(entry), location };
      return { selector: readSelector(entry, context), written: selectorText(entry), location };
    }),
  };
}

function selectorText(selector: Selector): string {
  const { tagged, ...others } = selector;
  const text = (value: string | readonly string[]) =>
    typeof value === 'string' ? quote(value) : `[${value.map(quote).join(', ')}]`;
  const bindings = Object.entries(tagged ?? {}).map(([key, value]) => `${key}: ${value ?? 'null'}`);
  return `{${[
    ...Object.entries(others).map(([key, value]) => `${key}: ${text(value)}`),
    ...(tagged ? [`tagged: {${bindings.join(', ')}}`] : []),
  ].join(', ')}}`;
}
