import { inheritedPaths, settingInEffect } from '../diff/settings-in-effect.ts';
import { destroyDuration, destroyTime } from '../model/attributes.ts';
import type { Change } from '../model/change.ts';
import {
  asBindings,
  bindingDifference,
  effectiveBindings,
  sortedBindings,
  type TagBindings,
} from '../model/list-rule.ts';
import type { InheritedSetting, InheritedTags } from '../model/plan.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { compareTexts, sameValue } from '../model/value.ts';
import type { Labels } from '../resolve/labels.ts';
import type { Access, PlanAccess } from './access.ts';

type Step = Pick<InheritedSetting, 'path' | 'before' | 'after'>;

/**
 * The settings in effect that change because a workspace moves, gives up its own value, or because its project hands down
 * others. A workspace inherits from its project, and that from the organization; an own value of the workspace is a field
 * of its change. Under ids.
 */
export function inheritedSettingsOf(
  { before, after }: PlanAccess,
  changes: readonly Change[],
): InheritedSetting[] {
  const fieldsOf = new Map(changes.map(({ address, fields }) => [address, fields]));
  const former = workspacesById(before);
  return resourcesOf(after.resources, 'workspace')
    .flatMap((target): InheritedSetting[] => {
      const current = former.get(target.id);
      if (current === undefined) return [];
      const isMoved = current.attributes.project !== target.attributes.project;
      const isShown = (path: string) =>
        fieldsOf.get(target.address)?.some((field) => field.path === path && field.inEffect === undefined);
      const settings = inheritedPaths.flatMap((path): Step[] => {
        const [before, after] = [current, target].map((side) => settingInEffect(path, side));
        // A time without a duration ends the schedule of the project.
        const isTimed = path === destroyDuration && Boolean(target.attributes[destroyTime]);
        if (isShown(path) || !(after?.isInherited || isTimed)) return [];
        const { value = isTimed ? null : undefined } = after ?? {};
        // The `iac` dialect does not show the default of the organization; a project that was not read shows none.
        const isUnknown = value === null || (value === undefined && before?.isInherited === false);
        const shown = path === 'execution-mode' && isUnknown ? 'unknown' : value;
        return shown === undefined ? [] : [{ path, before: before?.value ?? null, after: shown }];
      });
      const { gains, loses } = tagDifference(current, target);
      const tags = gains.length + loses.length > 0 ? tagsInEffect(current, target) : [];
      return [...settings, ...tags]
        .filter(({ before, after }) => !sameValue(before, after))
        .map((step) => ({ address: target.address, ...step, from: isMoved ? 'move' : 'project' }));
    })
    .sort((a, b) => compareTexts(a.address, b.address));
}

function workspacesById({ resources }: Access): ReadonlyMap<string | undefined, WorkspaceResource> {
  return new Map(resourcesOf(resources, 'workspace').map((one) => [one.id, one]));
}

/** Own tags are fields, so only what is inherited makes a change. */
function tagsInEffect(current: WorkspaceResource, target: WorkspaceResource): Step[] {
  const [had, has] = [inheritedBindings(current), inheritedBindings(target)];
  if (had === undefined || has === undefined || sameValue(had, has)) return [];
  const inEffect = ({ attributes }: WorkspaceResource) => sortedBindings(effectiveBindings(attributes)) ?? {};
  return [{ path: 'tag-bindings', before: inEffect(current), after: inEffect(target) }];
}

function inheritedBindings({ attributes }: WorkspaceResource): TagBindings | undefined {
  return asBindings(attributes['inherited-tag-bindings']);
}

/** The key/value tags that workspaces gain and lose because their project, or the tags of their project, change. */
export function inheritedTagsOf({ before, after }: PlanAccess, { shown }: Labels): readonly InheritedTags[] {
  const former = workspacesById(before);
  const groups = new Map<string, InheritedTags>();
  for (const workspace of resourcesOf(after.resources, 'workspace')) {
    const { gains, loses } = tagDifference(former.get(workspace.id), workspace);
    if (gains.length + loses.length === 0) continue;
    const project = shown('projects', String(workspace.attributes.project));
    const key = JSON.stringify([project, gains, loses]);
    const { workspaces = [] } = groups.get(key) ?? {};
    groups.set(key, { project, workspaces: [...workspaces, workspace.name].sort(), gains, loses });
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function tagDifference(
  live: WorkspaceResource | undefined,
  target: WorkspaceResource,
): Pick<InheritedTags, 'gains' | 'loses'> {
  const own = asBindings(target.attributes['tag-bindings']) ?? {};
  const former = Object.entries((live && inheritedBindings(live)) ?? {});
  // A tag that the workspace now overrides is a field of its change.
  const left = Object.fromEntries(former.filter(([key]) => !Object.hasOwn(own, key)));
  const had = live ? effectiveBindings(live.attributes) : {};
  return {
    gains: bindingDifference(had, inheritedBindings(target) ?? {}).add,
    loses: bindingDifference(left, effectiveBindings(target.attributes)).remove,
  };
}
