import { sharingSwitches, sharingSwitchOf } from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import { bothLive, hasConsumersOfLayer } from '../model/configuration.ts';
import { type Diagnostic, note, problem } from '../model/diagnostic.ts';
import { applyListRule, type ListRule } from '../model/list-rule.ts';
import {
  findWorkspace,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { listTexts, sameValue } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';
import { type Comparison, changing, located, type Matched } from './comparison.ts';
import { consumerExpansion, consumerKey } from './expand-consumers.ts';
import { addsBindings, differingFields } from './fields.ts';
import { type Deletion, noFormer } from './refusals.ts';
import { inheritanceOf, withInherited } from './settings-in-effect.ts';
import { workspaceTarget } from './workspace-target.ts';

const consumersPath = 'remote-state-consumers';

export function compareWorkspaces(comparison: Comparison, projects: readonly ProjectResource[]) {
  const { configuration, live } = comparison;
  const matching = matchWorkspaces(comparison);
  const { deleted } = matching;
  const diagnostics = [...matching.diagnostics];
  const inheritance = inheritanceOf(live, [...live.state.resources.values(), ...projects]);
  const planned = matching.kept.map(({ desired, live: current }): Matched<'workspace'> => {
    const own = workspaceTarget(desired, current, live.dialect, diagnostics);
    const target = withInherited(own, current, inheritance, desired.declared);
    return { desired, live: current, target: sharingLive(target, current) };
  });
  const isDeleted = new Set(deleted.map((deletion) => deletion.live));
  const kept = resourcesOf(live.state.resources.values(), 'workspace').filter((one) => !isDeleted.has(one));
  // An undeclared workspace inherits after the plan, too.
  const targets = new Map(kept.map((one) => [consumerKey(one), withInherited(one, one, inheritance)]));
  for (const { target } of planned) targets.set(consumerKey(target), target);
  const deletedIds = new Set([...isDeleted].map(({ id }) => id));
  const expand = consumerExpansion({
    live,
    planned: new Map(planned.map((one) => [one.desired.name, one])),
    targets,
    diagnostics,
    leftOut: comparison.leftOut,
    deletedIds,
    declared: (name: string) => configuration.desired.resources.get(workspaceAddress(name)),
  });
  const withoutDeleted = (field: FieldChange) =>
    field.path === consumersPath
      ? { ...field, after: listTexts(field.after).filter((id) => !deletedIds.has(id)) }
      : field;
  const compared = planned.map((one) => {
    const { desired, target } = one;
    const declared = expand(desired, consumerKey(target));
    const shared = sharingSwitchOf(target.attributes);
    const isIgnored = declared && shared !== undefined && hasConsumersOfLayer(desired.address, configuration);
    if (isIgnored) diagnostics.push(consumersIgnored(desired, shared));
    const consumers = isIgnored ? undefined : declared;
    if (consumers && shared) diagnostics.push(consumersOfAll(desired, shared));
    diagnostics.push(...bothSwitches(desired, target));
    targets.set(consumerKey(target), withConsumers(target, consumers));
    return { ...one, fields: differingFields(one, consumers).map(withoutDeleted), consumers };
  });
  const changes = compared.flatMap(({ fields, consumers, ...one }) =>
    changing<'workspace'>(one, fields, workspaceDetails(one, fields, consumers)),
  );
  return {
    changes: [...changes, ...deleted.flatMap(deletion)],
    unchanged: matching.alreadyGone + planned.length - changes.length,
    unmanaged: matching.unmanaged,
    after: [...targets.values()],
    diagnostics,
    planned: compared,
    deleted,
    inheritance,
  };
}

function workspaceDetails(
  { desired: { attributes, declared }, live }: Matched<'workspace'>,
  fields: readonly FieldChange[],
  consumers: ListRule | undefined,
): Partial<WorkspaceChange> {
  const bindings = fields.filter(({ path }) => path === 'tag-bindings');
  return {
    addsBindings: addsBindings(attributes['tag-bindings'], bindings) ? true : undefined,
    recovers: live ? undefined : declared?.recovers,
    forcesUnlock: declared?.forcesUnlock,
    additiveConsumers: consumers && 'add' in consumers ? true : undefined,
  };
}

function matchWorkspaces({ configuration, live, owners, chosen }: Comparison) {
  const kept: Omit<Matched<'workspace'>, 'target'>[] = [];
  const deleted: Deletion[] = [];
  const unmanaged: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const renamed = new Set<string>();
  let alreadyGone = 0;
  for (const desired of resourcesOf(configuration.desired.resources.values(), 'workspace')) {
    const { renamedFrom, absent } = desired.declared ?? {};
    const current = findWorkspace(live.state, desired.name);
    const former = renamedFrom ? findWorkspace(live.state, renamedFrom) : undefined;
    if (former && !current) renamed.add(former.address);
    if (!chosen(desired.address)) continue;
    if (absent) {
      if (current) deleted.push({ live: current, mode: absent, desired });
      else alreadyGone += 1;
      continue;
    }
    if (current && former)
      diagnostics.push(bothLive(current.name, former.name, located(desired, 'renamed-from')));
    if (renamedFrom && !current && !former) diagnostics.push(noFormer(desired, desired.name));
    kept.push({ desired, live: current ?? former });
  }
  const missing = new Map(
    kept.flatMap(({ desired, live }) => (live ? [] : [[desired.name.toLowerCase(), desired] as const])),
  );
  const undeclared = resourcesOf(live.state.resources.values(), 'workspace').filter(
    ({ address }) => !configuration.desired.resources.has(address) && !renamed.has(address),
  );
  for (const workspace of undeclared) {
    const { address } = workspace;
    const owner = live.scopeWhole && chosen(address) ? owners.get(address) : undefined;
    const mode = owner?.prunes ? owner.root.prune.workspaces : 'keep';
    const sameInLowerCase = missing.get(workspace.name.toLowerCase());
    if (sameInLowerCase) diagnostics.push(differsInCase(sameInLowerCase, workspace, mode !== 'keep'));
    if (owner === undefined) continue;
    if (mode === 'keep') unmanaged.push(workspace.address);
    else deleted.push({ live: workspace, mode });
  }
  return { kept, deleted, unmanaged: unmanaged.sort(), alreadyGone, diagnostics };
}

/** It is not documented whether the service ignores case, so the two names may be one workspace. */
function differsInCase(
  desired: WorkspaceResource,
  { name }: WorkspaceResource,
  isPruned: boolean,
): Diagnostic {
  return problem(
    'differs-in-case',
    `"${desired.name}" is declared, but "${name}" is live: to a service that ignores case, both names are one workspace`,
    {
      severity: isPruned ? 'error' : 'warning',
      at: desired,
      hint: `declare it as "${name}", or add \`renamed-from: ${name}\``,
    },
  );
}

/** Most targets have the live values: they share them, so that a run over many organizations needs no copies. */
function sharingLive(target: WorkspaceResource, live: WorkspaceResource | undefined): WorkspaceResource {
  return live && sameValue(target.attributes, live.attributes)
    ? { ...target, attributes: live.attributes }
    : target;
}

function deletion({ live, mode, desired }: Deletion): WorkspaceChange[] {
  const { unlocks, unchanged } = desired?.declared ?? {};
  const details = {
    deleteMode: mode,
    unlocks: isLocked(live.attributes.lock) ? unlocks : undefined,
    unchanged,
  };
  return changing({ desired: { ...live, location: desired?.location }, live }, [], details);
}

function withConsumers(target: WorkspaceResource, rule: ListRule | undefined): WorkspaceResource {
  const stored = target.attributes[consumersPath];
  // The stored list cannot be read while the state is shared with all, so the result of additions is unknown.
  const isUnread = target.id !== undefined && !Array.isArray(stored);
  if (rule === undefined || (isUnread && 'add' in rule)) return target;
  const after = applyListRule(rule, listTexts(stored));
  return { ...target, attributes: { ...target.attributes, [consumersPath]: after } };
}

function consumersIgnored(desired: WorkspaceResource, shared: string): Diagnostic {
  return note(
    'consumers-ignored',
    `${consumersPath} of "${desired.name}" is ignored: it is declared by a layer, and the live ${shared} is true`,
    {
      at: located(desired, consumersPath),
      hint: `add \`${shared}: false\` to share the state with these consumers only`,
    },
  );
}

function consumersOfAll(desired: WorkspaceResource, shared: string): Diagnostic {
  const readers = shared === 'global-remote-state' ? 'workspace' : 'workspace of its project';
  return problem(
    'consumers-with-global',
    `"${desired.name}" declares consumers, but its live ${shared} is true: every ${readers} can read its state`,
    {
      at: located(desired, consumersPath),
      hint: `add \`${shared}: false\`, or remove ${consumersPath}`,
    },
  );
}

/** The service refuses both switches. Two declared ones are a problem of the files, so one of them is live here. */
function bothSwitches(desired: WorkspaceResource, target: WorkspaceResource): Diagnostic[] {
  if (!sharingSwitches.every((path) => target.attributes[path] === true)) return [];
  const on = sharingSwitches.find((path) => desired.attributes[path] === true);
  const kept = sharingSwitches.find((path) => path !== on);
  if (on === undefined || kept === undefined) return [];
  return [
    problem(
      'exclusive-settings',
      `"${desired.name}" declares ${on}: true, but its live ${kept} is true, too, and the service refuses both`,
      { at: located(desired, on), hint: `add \`${kept}: false\`` },
    ),
  ];
}
