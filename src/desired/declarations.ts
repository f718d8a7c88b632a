import { type AliasKind, byAliasKind } from '../model/alias-kind.ts';
import { problem, type SourceLocation, showPlace } from '../model/diagnostic.ts';
import { quote } from '../model/text.ts';
import { isSynthesized } from './files/synthesized.ts';
import { type Loading, reporter } from './problems.ts';
import type { RawAlias, RawFile, RawGrant, RawProject, RawRole } from './schema/language.ts';
import type { RawLayer } from './schema/layer-schema.ts';

export interface Declaration<T> {
  readonly value: T | undefined;
  /** The mapping that contains the key, and the location of the key. */
  readonly mapping: object;
  readonly location: SourceLocation;
}

export type Declarations<T> = ReadonlyMap<string, Declaration<T>>;

export interface AllDeclarations {
  readonly aliases: Readonly<Record<Exclude<AliasKind, 'projects'>, Declarations<RawAlias>>> & {
    readonly projects: Declarations<RawProject>;
  };
  readonly templates: Declarations<RawLayer>;
  readonly workspaces: Declarations<RawLayer>;
  readonly teamAccess: readonly {
    readonly project: string;
    readonly location: SourceLocation;
    readonly teams: Declarations<RawGrant>;
  }[];
  readonly roles: Declarations<RawRole>;
  readonly settings: Settings;
}

export function gatherDeclarations(files: readonly RawFile[], loading: Loading): AllDeclarations {
  const gather = <T>(label: Label, sections: readonly (Section<T> | undefined)[]) =>
    gatherSection(label, sections, loading);
  const { isLiteral } = reporter(loading);
  const named = <T>(what: string, sections: readonly (Section<T> | undefined)[]) => {
    const declared = gather((name) => `${what} ${name}`, sections);
    for (const [name, { location }] of declared) isLiteral(what, name, location);
    return declared;
  };
  const access = sectionsOf(files, 'team-access');
  const aliases = (kind: AliasKind) =>
    gather<RawProject>((name) => `the alias ${name} under ${kind}`, sectionsOf(files, kind));
  return {
    aliases: byAliasKind(aliases) as AllDeclarations['aliases'],
    templates: named('the template', sectionsOf(files, 'templates')),
    workspaces: gather((name) => `the workspace ${name}`, sectionsOf(files, 'workspaces')),
    roles: named('the role', sectionsOf(files, 'roles')),
    teamAccess: [...new Set(access.flatMap((section) => Object.keys(section)))].map((project) => {
      const sections = access.filter((section) => Object.hasOwn(section, project));
      return {
        project,
        location: loading.origins.atKey(sections[0] ?? {}, project),
        teams: gather(
          (team) => `the access of ${team} to ${quote(project)}`,
          sections.map((section) => section[project]),
        ),
      };
    }),
    settings: gatherSettings(files, loading),
  };
}

type Label = (name: string) => string;
type Section<T> = Readonly<Record<string, T | undefined>>;

function sectionsOf<K extends keyof RawFile>(files: readonly RawFile[], key: K): NonNullable<RawFile[K]>[] {
  return files.map((file) => file[key]).filter((section) => section !== undefined && section !== null);
}

function gatherSection<T>(
  label: Label,
  sections: readonly (Section<T> | undefined)[],
  { origins, problems }: Loading,
): Declarations<T> {
  const gathered = new Map<string, Declaration<T>>();
  for (const section of sections) {
    if (!section) continue;
    for (const name of Object.keys(section)) {
      const location = origins.atKey(section, name);
      const known = gathered.get(name);
      if (!known) gathered.set(name, { value: section[name], mapping: section, location });
      else problems.add(...declaredTwice(label(quote(name)), known.location, location));
    }
  }
  return gathered;
}

const settingSections = [
  'service',
  'defaults',
  'scope',
  'prune',
  'limits',
  'guards',
  'exceptions',
  'freeze',
  'notify',
] as const;
export type Settings = Pick<RawFile, (typeof settingSections)[number]>;

function gatherSettings(files: readonly RawFile[], { origins, problems }: Loading): Settings {
  const settings: Record<string, unknown> = {};
  for (const key of settingSections) {
    const [first, ...others] = files.filter(
      (file, index) => Object.hasOwn(file, key) && (index === 0 || isSynthesized(file) || key === 'defaults'),
    );
    if (!first) continue;
    settings[key] = first[key];
    const place = origins.atKey(first, key);
    for (const other of others)
      problems.add(...declaredTwice(`the section ${quote(key)}`, place, origins.atKey(other, key)));
  }
  return settings as Settings;
}

export function declaredTwice(what: string, first: SourceLocation, second: SourceLocation) {
  return [[first, second] as const, [second, first] as const].map(([location, other]) =>
    problem('duplicate-name', `${what} is declared twice, also at ${showPlace(other)}`, { at: location }),
  );
}
