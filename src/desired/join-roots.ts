import { byAliasKind } from '../model/alias-kind.ts';
import {
  type Aliases,
  type Base,
  type BaseDeclarations,
  type Configuration,
  type Guards,
  noLimits,
} from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { movedLocation } from '../model/files.ts';
import type { RuleOfRoot } from '../model/rules.ts';
import type { Resource, State } from '../model/state.ts';
import { groupBy } from '../model/value.ts';

/**
 * What root files of one organization declare together: names are resolved, and no two declare the same. It is read,
 * compared and planned as one configuration. The rules of each root file stay its own, and are in `roots`.
 *
 * @param left root files that cannot be planned, by name: what they declare is not undeclared
 * @param cwd what messages show the places of other root files from
 */
export function joinRoots(
  named: readonly [Configuration, ...Configuration[]],
  left: ReadonlyMap<string, Configuration> = new Map(),
  cwd?: string,
): Configuration {
  const [first, ...others] = named;
  if (others.length + left.size === 0) return first;
  // One of them must not delete what another one protects.
  const roots = named.map((root) => {
    const { keepAdmin, ...guards } = guardsOfAll([root, ...named.filter((other) => other !== root)], cwd);
    return { ...root, guards: { ...guards, keepAdmin: root.guards.keepAdmin ?? keepAdmin } };
  });
  const base = joinedBase(roots);
  const joined: Configuration = {
    file: first.file,
    folder: first.folder,
    service: Object.assign({}, ...roots.map(({ service }) => service).reverse()),
    aliases: joinedAliases(roots),
    desired: joinedState([...left.values(), ...roots]),
    layered: new Map(
      roots.flatMap(({ desired, layered }) =>
        [...layered].filter(([address]) => desired.resources.has(address)),
      ),
    ),
    prune: { workspaces: 'keep', teamAccess: false },
    limits: noLimits,
    guards: guardsOfAll(named),
    policies: roots.flatMap(({ policies = [] }) => policies),
    grantProjects: new Map(roots.flatMap(({ grantProjects }) => [...grantProjects]).reverse()),
    lookUps: [...left.values(), ...roots].flatMap(({ lookUps }) => lookUps),
    known: joinedNames(roots),
    base,
    diagnostics: roots.flatMap(({ file, diagnostics }) => diagnostics.map((one) => ({ ...one, root: file }))),
    roots,
    leftOut: leftOutOf(roots, left),
  };
  const ruleOf = (root: Configuration): RuleOfRoot => ({
    root: root.file,
    isOwn: (address) => (roots.find(({ desired }) => desired.resources.has(address)) ?? root) === root,
    declares: (address) => root.desired.resources.has(address),
  });
  const holds = roots.flatMap((root) =>
    root.holds ? { ...root.holds, of: ruleOf(root), days: root.limits.exceptionDays } : [],
  );
  if (holds.length === 0) return joined;
  return {
    ...joined,
    holds: {
      exceptions: holds.flatMap(({ exceptions, of, days }) =>
        exceptions.map((one) => ({ ...one, ...of, days })),
      ),
      freeze: holds.flatMap(({ freeze, of }) => freeze.map((window) => ({ ...window, ...of }))),
    },
  };
}

/** An alias of two objects stays that of the first: the address of another one is refused before. */
function joinedAliases(roots: readonly Configuration[]): Aliases {
  return byAliasKind((kind) => {
    const ids = new Map<string, string>();
    for (const { aliases } of roots)
      for (const [alias, id] of aliases[kind])
        if ((ids.get(alias) ?? id) === id) ids.set(alias, id);
        else ids.set(`${alias} (${id})`, id);
    return ids;
  });
}

function leftOutOf(
  roots: readonly Configuration[],
  left: ReadonlyMap<string, Configuration>,
): ReadonlyMap<string, string> {
  const declared = joinedState(roots).resources;
  return new Map(
    [...left].flatMap(([name, { desired }]) =>
      [...desired.resources.keys()].flatMap((address) => (declared.has(address) ? [] : [[address, name]])),
    ),
  );
}

function joinedState(roots: readonly Pick<Configuration, 'desired'>[]): State {
  const resources = new Map<string, Resource>(roots.flatMap(({ desired }) => [...desired.resources]));
  return { organization: roots.at(-1)?.desired.organization ?? '', resources };
}

function joinedNames(roots: readonly Configuration[]): NonNullable<Configuration['known']> {
  const names = groupBy(
    roots.flatMap(({ known }) => (known ? [...known] : [])),
    ([kind]) => kind,
  );
  return new Map([...names].map(([kind, own]) => [kind, new Map(own.flatMap(([, ids]) => [...ids]))]));
}

/** A declaration can move from one root file to another. */
function joinedBase(roots: readonly Configuration[]): Base | undefined {
  const bases = roots.flatMap(({ base }) => base ?? []);
  const [first] = bases;
  if (first === undefined || bases.length < roots.length) return undefined;
  const { loaded: _loaded, declared: own, ...settings } = first;
  const declared = bases.flatMap((base) => base.declared ?? []);
  if (own === undefined || declared.length < bases.length) return settings;
  const joined: BaseDeclarations = { ...own, desired: joinedState(declared), roots: declared };
  return { ...settings, declared: joined };
}

type Guarded = Pick<Configuration, 'folder' | 'guards'>;

function guardsOfAll([own, ...others]: readonly [Guarded, ...Guarded[]], cwd = own.folder): Guards {
  const all = [own.guards, ...others.map((other) => movedGuards(other, own.folder, cwd))];
  const keepSelf = all.flatMap((guards) => guards.keepSelf ?? [])[0];
  return {
    protect: all.flatMap(({ protect }) => protect),
    keepAdmin: all.flatMap(({ keepAdmin }) => keepAdmin ?? []),
    keepSelf,
  };
}

function movedGuards({ folder, guards }: Guarded, to: string, cwd: string): Guards {
  const moved = <Item extends { readonly location: SourceLocation }>(items: readonly Item[] = []) =>
    items.map((item) => ({ ...item, location: movedLocation(item.location, folder, to) }));
  return {
    protect: moved(
      guards.protect.map((one) => ({ ...one, shownAt: movedLocation(one.location, folder, cwd) })),
    ),
    keepAdmin: moved(guards.keepAdmin),
    keepSelf: guards.keepSelf && movedLocation(guards.keepSelf, folder, to),
  };
}
