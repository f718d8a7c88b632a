import { type AliasKind, aliasKinds, aliasKindTable } from '../model/alias-kind.ts';
import { variesByPlatform } from '../model/attributes.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isUnmistakableId, workspaceAddress } from '../model/state.ts';
import { isRecord, listTexts, type Value } from '../model/value.ts';
import {
  type CopyMap,
  type Mapped,
  type MapSection,
  mapNames,
  mapSectionOf,
  mapSections,
  type NeededKind,
} from './copy-map.ts';
import type { IdReference } from './lay-out.ts';
import type { ImportNotices } from './notices.ts';
import { type PortableNames, withoutIds } from './portable.ts';
import type { StatedOrganization } from './state-organization.ts';
import type { StatedWorkspace, Statement, StatementPath } from './statement.ts';

/** Another organization that the files are written for. */
export interface CopyTarget {
  readonly organization: string;
  readonly map: CopyMap;
}

/** An object that has to exist in the target, because the files refer to it. */
export interface NeededObject {
  readonly kind: NeededKind;
  /** Of a workspace its name. */
  readonly alias: string;
  /** Its name in the target. */
  readonly name: string;
  /** Its name in the source, or its id. */
  readonly from: string;
}

/** The declarations of a copy, and its references. */
export interface CopiedOrganization extends Pick<StatedOrganization, 'workspaces' | 'projects'> {
  readonly reference: IdReference;
  readonly needed: readonly NeededObject[];
}

export interface CopyContext {
  readonly portable: PortableNames;
  readonly notices: ImportNotices;
  /** The names of live workspaces by their ids. */
  readonly workspaceNames: ReadonlyMap<string, string>;
}

/** The name in the target of an object by its id, of a workspace as lists of consumers have it. */
type InTarget = (section: MapSection, key: string) => string | undefined;

/**
 * Gives the declarations of an import the names of another organization.
 *
 * @throws {DiagnosticsError} if the map has mistakes, or an object has no name that the target could have.
 */
export function copyOf(
  stated: StatedOrganization,
  { organization, map }: CopyTarget,
  { portable, notices, workspaceNames }: CopyContext,
): CopiedOrganization {
  const workspaceIds = new Map([...workspaceNames].map(([id, name]) => [name, id]));
  const objects = objectsOf(stated, portable, workspaceIds);
  const mapped = mapSections.map((section) => [section, mapNames(section, objects[section], map)] as const);
  const problems = mapped.flatMap(([, { problems: found }]) => found);
  const names = new Map(mapped.map(([section, { names: found }]) => [section, found]));
  const inTarget: InTarget = (section, key) =>
    names.get(section)?.get(section === 'workspaces' ? (workspaceIds.get(key) ?? key) : key);
  const nameless = aliasKinds.flatMap((kind) =>
    [...stated.aliases.added(kind)].flatMap(([alias, id]) =>
      inTarget(mapSectionOf[kind], id) === undefined ? notPortable(kind, { alias, id, organization }) : [],
    ),
  );
  if (problems.length + nameless.length > 0) throw new DiagnosticsError([...problems, ...nameless]);
  const needed = aliasKinds.flatMap((kind) =>
    [...stated.aliases.added(kind)]
      .filter(([alias]) => kind !== 'projects' || !stated.projects.has(alias))
      .map(([alias, id]): NeededObject => {
        const name = inTarget(mapSectionOf[kind], id) ?? id;
        return { kind, alias, name, from: portable.nameOf(kind, id) ?? id };
      }),
  );
  const workspaces = stated.workspaces.map((workspace) => copiedWorkspace(workspace, inTarget, notices));
  return {
    workspaces,
    projects: withoutIds(
      new Map(
        [...stated.projects].map(([alias, project]) => {
          const id = isRecord(project) ? String(project.id) : '';
          const name = inTarget('projects', id);
          return [alias, isRecord(project) && name !== undefined ? ({ ...project, name } as Value) : project];
        }),
      ),
    ),
    reference: (kind, id) => ({ name: inTarget(mapSectionOf[kind], id) ?? id }),
    needed: [...needed, ...neededReaders(stated.workspaces, workspaces, inTarget)],
  };
}

/** The workspaces in lists of consumers that the files do not declare. */
function neededReaders(
  stated: readonly StatedWorkspace[],
  copied: readonly StatedWorkspace[],
  inTarget: InTarget,
): NeededObject[] {
  const declared = new Set(copied.map(({ name }) => name));
  const readers = new Set(stated.flatMap(({ statements }) => listTexts(statements.get(consumers)?.value)));
  return [...readers].sort().flatMap((from) => {
    const name = inTarget('workspaces', from);
    if (name === undefined || declared.has(name)) return [];
    return [{ kind: 'workspaces', alias: name, name, from }];
  });
}

const consumers = 'remote-state-consumers';
const installation = 'vcs-repo.vcs-app-installation-id';

/** All that the files refer to, by section of the map. */
function objectsOf(
  { workspaces, projects, aliases }: StatedOrganization,
  { nameOf }: PortableNames,
  workspaceIds: ReadonlyMap<string, string>,
): Readonly<Record<MapSection, readonly Mapped[]>> {
  const named = (kind: AliasKind) =>
    [...aliases.added(kind)].map(([alias, id]): Mapped => {
      const managed = kind === 'projects' ? projects.get(alias) : undefined;
      const name = isRecord(managed) ? String(managed.name) : nameOf(kind, id);
      return { id, ...(name !== undefined && { name }) };
    });
  const own = workspaces.map(({ name }) => name);
  const readers = workspaces.flatMap(({ statements }) => listTexts(statements.get(consumers)?.value));
  const mapped = new Map(own.map((name) => mappedWorkspace(name, workspaceIds)));
  for (const [id, reader] of readers.map((written) => mappedWorkspace(written, workspaceIds)))
    if (!mapped.has(id)) mapped.set(id, reader);
  const installations = new Set(
    workspaces.flatMap(({ statements }) => {
      const id = statements.get(installation)?.value;
      return typeof id === 'string' ? [id] : [];
    }),
  );
  return {
    projects: named('projects'),
    teams: named('teams'),
    'ssh-keys': named('ssh-keys'),
    'agent-pools': named('agent-pools'),
    workspaces: [...mapped.values()],
    vcs: [...named('vcs-connections'), ...[...installations].map((id) => ({ id }))],
  };
}

/** By its id, or its name without one. A reader whose name no file can have is written by its id. */
function mappedWorkspace(written: string, ids: ReadonlyMap<string, string>): [string, Mapped] {
  const id = ids.get(written);
  if (id === undefined && isUnmistakableId(written)) return [written, { id: written }];
  return [id ?? written, { name: written, ...(id !== undefined && { id }) }];
}

function copiedWorkspace(
  { name, statements, unstatable }: StatedWorkspace,
  inTarget: InTarget,
  notices: ImportNotices,
): StatedWorkspace {
  // The target can have other defaults.
  const copied = new Map<StatementPath, Statement>(
    [...statements].map(([path, statement]) => [
      path,
      variesByPlatform.has(path) ? { ...statement, isDefault: false } : statement,
    ]),
  );
  const list = statements.get(consumers);
  const readers = listTexts(list?.value);
  const known = readers.flatMap((reader) => inTarget('workspaces', reader) ?? []);
  if (list) copied.set(consumers, { value: [...known].sort(), isDefault: known.length === 0 });
  if (known.length < readers.length)
    notices.add(workspaceAddress(name), `${consumers} is written without workspaces that have no name`);
  const app = statements.get(installation);
  const mapped = typeof app?.value === 'string' ? inTarget('vcs', app.value) : undefined;
  if (app && mapped !== undefined) copied.set(installation, { ...app, value: mapped });
  return { name: inTarget('workspaces', name) ?? name, statements: copied, unstatable };
}

function notPortable(
  kind: AliasKind,
  { alias, id, organization }: { readonly alias: string; readonly id: string; readonly organization: string },
): Diagnostic {
  const { noun } = aliasKindTable[kind];
  return {
    severity: 'error',
    code: 'not-portable',
    message: `the ${noun} ${alias} (${id}) has no name that only it has, so ${organization} cannot have the same`,
    hint: `add \`${id}: NAME\` under ${mapSectionOf[kind]} in the map, with its name in ${organization}`,
  };
}

/** The part of a map for names that the target lacks. */
export function skeletonOf(
  lacking: readonly NeededObject[],
  existing: (kind: NeededKind) => readonly string[],
): string {
  const kinds = [...new Set(lacking.map(({ kind }) => kind))];
  const sections = kinds.map((kind) => {
    const lines = lacking
      .filter((one) => one.kind === kind)
      .map(({ from }) => `  ${yamlKey(from)}: # a name in the target\n`);
    const known = existing(kind);
    const shown = known.length > 10 ? [...known.slice(0, 10), `${known.length - 10} more`] : known;
    const comment = shown.length === 0 ? 'the target has none' : `the target has: ${shown.join(', ')}`;
    return `${mapSectionOf[kind]}: # ${comment.replaceAll(/[\r\n]/g, ' ')}\n${lines.join('')}`;
  });
  return sections.join('');
}

function yamlKey(text: string): string {
  return /^[A-Za-z][\w -]*$/.test(text) &&
    !/^(true|false|null|yes|no|on|off)$/i.test(text) &&
    !/ $/.test(text)
    ? text
    : JSON.stringify(text);
}
