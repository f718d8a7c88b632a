import { aliasKinds, kindOfId } from '../model/alias-kind.ts';
import { listPaths } from '../model/attributes.ts';
import { aliasOf, type Configuration, hasConsumersOfLayer } from '../model/configuration.ts';
import { mapSelectorProjects, matchesAddress, type Selector } from '../model/selector.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { groupBy, isRecord, noneIfEmpty, type Value, type Values, withoutUndefined } from '../model/value.ts';
import { declare } from './declare.ts';
import { type Entry, entryValue, type FileLabels, nested } from './entry.ts';

/** A root file as data, without includes, defaults, templates and roles, whose plan is the same. */
export type RenderedConfiguration = Values;

interface RenderSelection {
  /** The rendered addresses, with their exceptions. A part has no `prune`, which would delete the rest. @default all */
  readonly chosen?: (address: string) => boolean;
}

export function renderConfiguration(
  configuration: Configuration,
  { chosen }: RenderSelection = {},
): RenderedConfiguration {
  const { aliases, desired, lookUps, settings = {} } = configuration;
  const names = new Map(lookUps.map(({ placeholder, name }) => [placeholder, name]));
  const labels: FileLabels = {
    // An id, or the alias or name that is looked up.
    of(kind, id) {
      const name = names.get(id);
      if (name === undefined && kindOfId(id) === kind) return id;
      const alias = aliasOf(aliases, kind, id);
      return alias === id ? (name ?? id) : alias;
    },
    hasId: (project) => !names.has(project),
  };
  const resources = [...desired.resources.values()].filter(({ address }) => chosen?.(address) ?? true);
  const managed = new Map(
    resourcesOf(resources, 'project').map((project) => [project.name, wholeValue(declare(project, labels))]),
  );
  const workspaces = resourcesOf(resources, 'workspace').map((workspace) => ({
    workspace,
    layers: workspaceLayers(workspace, configuration, labels),
  }));
  const { service, prune, include: _include, ...rules } = settings;
  const known = (rules.exceptions ?? []) as readonly Values[];
  const isRendered = (pattern: string) => resources.some(({ address }) => matchesAddress(pattern, address));
  const sections: Readonly<Record<string, Value | undefined>> = {
    service,
    ...Object.fromEntries(
      aliasKinds.map((kind) => {
        const references = [...aliases[kind]].map(([alias, id]): [string, Value] => {
          const name = names.get(id);
          return [alias, (kind === 'projects' && managed.get(alias)) || (name === undefined ? id : { name })];
        });
        return [kind, Object.fromEntries(references)];
      }),
    ),
    templates: Object.fromEntries(workspaces.flatMap(({ layers }) => layers.templates)),
    workspaces: Object.fromEntries(
      workspaces.map(({ workspace, layers }) => [workspace.name, workspaceValue(workspace, layers)]),
    ),
    'team-access': accessSection(configuration, labels, chosen),
    prune: chosen === undefined ? prune : undefined,
    ...rules,
    exceptions: chosen ? known.filter(({ address }) => isRendered(String(address))) : known,
  };
  const given = Object.entries(sections).filter(([, one]) => Object.keys(one ?? {}).length > 0);
  return { attune: 1, organization: desired.organization, ...Object.fromEntries(given) };
}

function wholeValue(entry: Entry): Value {
  return entryValue({ ...entry, usual: new Set() });
}

function accessSection(
  { desired, grantProjectLocations = new Map() }: Configuration,
  labels: FileLabels,
  chosen: RenderSelection['chosen'],
): Values {
  const grants = resourcesOf(desired.resources.values(), 'team-access')
    .filter(({ address }) => chosen?.(address) ?? true)
    .map((grant) => declare(grant, labels));
  const byProject = groupBy(grants, ({ path }) => path[1] ?? '');
  // A project without grants has none.
  const declared = chosen ? [] : [...grantProjectLocations.keys()];
  const projects = new Set([...declared, ...byProject.keys()]);
  const teamsOf = (project: string) =>
    (byProject.get(project) ?? []).map((entry) => [entry.path[2], wholeValue(entry)] as const);
  return Object.fromEntries([...projects].map((project) => [project, Object.fromEntries(teamsOf(project))]));
}

function workspaceValue({ declared = {} }: WorkspaceResource, { templates, own }: LayeredValues): Value {
  const { absent, renamedFrom, protect } = declared;
  if (absent) return { state: 'absent', delete: absent };
  const [first, ...others] = templates.map(([name]) => name);
  return withoutUndefined({
    extends: first !== undefined && others.length > 0 ? [first, ...others] : first,
    'renamed-from': renamedFrom,
    protect,
    ...own,
  });
}

interface LayeredValues {
  /** Lowest first. */
  readonly templates: readonly (readonly [string, Values])[];
  readonly own: Values;
}

/**
 * The values of a workspace, and of its templates: one layer cannot declare an exact list with exceptions. Consumers of a
 * layer stay in one, because live sharing makes them ineffective and is an error for those of a workspace.
 */
function workspaceLayers(
  workspace: WorkspaceResource,
  configuration: Configuration,
  labels: FileLabels,
): LayeredValues {
  const { name, address } = workspace;
  const lists = new Map<string, Value>();
  const removals = new Map<string, Value>();
  const own = new Map<string, Value>();
  for (const [path, value] of declare(workspace, labels).values) {
    if (!listPaths.has(path) || !isRecord(value)) own.set(path, value);
    else {
      const { exactly, except, add, remove } = mapItems(value as Rule, labels);
      const list = exactly ? { exactly } : withoutUndefined({ add: add ?? [], remove: noneIfEmpty(remove) });
      const isOfLayer = path === 'remote-state-consumers' && hasConsumersOfLayer(address, configuration);
      if (isOfLayer || except) lists.set(path, list);
      else own.set(path, exactly ?? list);
      if (except) (isOfLayer ? removals : own).set(path, { remove: except });
    }
  }
  const templates = [
    [`${name}-lists`, nested(lists)],
    [`${name}-removals`, nested(removals)],
  ] as const;
  return { templates: templates.filter(([, layer]) => Object.keys(layer).length > 0), own: nested(own) };
}

type Rule = Readonly<Partial<Record<'exactly' | 'except' | 'add' | 'remove', readonly Value[]>>>;

function mapItems(rule: Rule, { of }: FileLabels): Rule {
  const written = (item: Value) =>
    isRecord(item)
      ? (mapSelectorProjects(item as Selector, (id) => of('projects', id) ?? id) as Value)
      : item;
  return Object.fromEntries(Object.entries(rule).map(([key, items]) => [key, items.map(written)]));
}
