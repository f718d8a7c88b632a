import type { AdminGuard, Configuration, Guards, Protection } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { movedLocation } from '../model/files.ts';
import type { Selector } from '../model/selector.ts';
import { quote } from '../model/text.ts';
import { locateValue } from './files/source.ts';
import { type ReadContext, readSelector } from './references.ts';
import type { RawFile } from './schema/language.ts';

/** The declared guards, with the ids of projects and teams. */
export function readGuards({ guards }: Pick<RawFile, 'guards'>, context: ReadContext): Guards {
  const { protect = [], 'keep-admin': keepAdmin, 'keep-self': keepSelf } = guards ?? {};
  const { origins } = context.loading;
  return {
    ...(guards && keepAdmin && { keepAdmin: [adminGuard(guards, keepAdmin, context)] }),
    ...(guards && keepSelf && { keepSelf: locateValue(origins, guards, 'keep-self') }),
    protect: protect.map((entry, index): Protection => {
      const location = locateValue(origins, protect, index);
      // A name is a pattern, as under `name` of a selector.
      if (typeof entry === 'string') return { selector: { name: entry }, written: quote(entry), location };
      return { selector: readSelector(entry, context), written: selectorText(entry), location };
    }),
  };
}

function adminGuard(
  guards: object,
  written: readonly string[],
  { loading: { origins }, references }: ReadContext,
): AdminGuard {
  const teams = written.flatMap((team, index): (readonly [string, string])[] => {
    const id = references.resolve('teams', team, locateValue(origins, written, index));
    return id === undefined ? [] : [[id, team]];
  });
  return { teams: new Map(teams), location: locateValue(origins, guards, 'keep-admin') };
}

/** A selector as a file has it, for messages. */
export function selectorText(selector: Selector): string {
  const { tagged, ...others } = selector;
  const text = (value: string | readonly string[]) =>
    typeof value === 'string' ? quote(value) : `[${value.map(quote).join(', ')}]`;
  const bindings = Object.entries(tagged ?? {}).map(([key, value]) => `${key}: ${value ?? 'null'}`);
  return `{${[
    ...Object.entries(others).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}: ${text(value)}`],
    ),
    ...(tagged ? [`tagged: {${bindings.join(', ')}}`] : []),
  ].join(', ')}}`;
}

type Guarded = Pick<Configuration, 'folder' | 'guards'>;

/** The guards of several root files of one organization, with locations relative to the folder of the first. */
export function guardsOfAll([own, ...others]: readonly [Guarded, ...Guarded[]]): Guards {
  const all = [own.guards, ...others.map((other) => movedGuards(other, own.folder))];
  const keepSelf = all.flatMap((guards) => guards.keepSelf ?? [])[0];
  return {
    protect: all.flatMap(({ protect }) => protect),
    keepAdmin: all.flatMap(({ keepAdmin }) => keepAdmin ?? []),
    ...(keepSelf && { keepSelf }),
  };
}

function movedGuards({ folder, guards }: Guarded, to: string): Guards {
  const moved = <Item extends { readonly location: SourceLocation }>(items: readonly Item[] = []) =>
    items.map((item) => ({ ...item, location: movedLocation(item.location, folder, to) }));
  return {
    protect: moved(guards.protect),
    keepAdmin: moved(guards.keepAdmin),
    ...(guards.keepSelf && { keepSelf: movedLocation(guards.keepSelf, folder, to) }),
  };
}
