import { aliasOf } from '../desired/configuration.ts';
import type { InheritedTags } from '../model/plan.ts';
import { type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { asBindings, bindingText, effectiveBindings, type TagBindings } from '../model/tag-bindings.ts';
import type { Labels } from './labels.ts';

/** The key/value tags that workspaces gain and lose because their project, or the tags of their project, change. */
export function inheritedTagsOf(
  before: readonly Resource[],
  after: readonly Resource[],
  { aliases }: Labels,
): readonly InheritedTags[] {
  const live = new Map(resourcesOf(before, 'workspace').map((workspace) => [workspace.id, workspace]));
  const groups = new Map<string, InheritedTags>();
  for (const workspace of resourcesOf(after, 'workspace')) {
    const { gains, loses } = difference(workspace.id ? live.get(workspace.id) : undefined, workspace);
    if (gains.length + loses.length === 0) continue;
    const project = aliasOf(aliases, 'projects', String(workspace.attributes.project));
    const key = JSON.stringify([project, gains, loses]);
    const { workspaces = [] } = groups.get(key) ?? {};
    groups.set(key, { project, workspaces: [...workspaces, workspace.name].sort(), gains, loses });
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function difference(
  live: WorkspaceResource | undefined,
  { attributes }: WorkspaceResource,
): Pick<InheritedTags, 'gains' | 'loses'> {
  const had = live ? effectiveBindings(live.attributes) : {};
  const inherited = asBindings(attributes['inherited-tag-bindings']) ?? {};
  const formerly = asBindings(live?.attributes['inherited-tag-bindings']) ?? {};
  const has = effectiveBindings(attributes);
  return {
    gains: texts(inherited, (key, value) => !Object.hasOwn(had, key) || had[key] !== value),
    // A tag that the workspace now overrides is a field of its change.
    loses: texts(formerly, (key) => !Object.hasOwn(has, key)),
  };
}

function texts(bindings: TagBindings, filter: (key: string, value: string | null) => boolean): string[] {
  return Object.entries(bindings)
    .filter(([key, value]) => filter(key, value))
    .map(([key, value]) => bindingText(key, value))
    .sort();
}
