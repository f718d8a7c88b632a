import type { ResourceType } from '../../src/cdktf/places.ts';
import { type DocumentedArguments, documentedResources } from './documented-arguments.ts';
import { type Exchanged, type ExchangedObject, isEmpty, unknownValue } from './provider-values.ts';

export interface PlanRequest {
  readonly type: ResourceType;
  /** Null on create. */
  readonly prior: ExchangedObject | null;
  /** The configuration over what was there: made by Terraform. */
  readonly proposed: ExchangedObject;
  readonly config: ExchangedObject;
}

/** What the provider plans to make of a resource: its defaults, and what it clears when it is left out. */
export function planResource(request: PlanRequest): ExchangedObject {
  const { type, prior, proposed, config } = request;
  const { arguments: documented, blocks = {}, legacy } = documentedResources[type];
  const planned: Record<string, Exchanged> = {
    ...proposed,
    ...planArguments(documented, { prior, proposed, legacy }),
  };
  for (const [name, { nesting, computed, arguments: inner }] of Object.entries(blocks)) {
    if (nesting !== 'LIST') continue;
    const before = asObjects(prior?.[name]);
    const list = asObjects(proposed[name]);
    planned[name] =
      list.length === 0 && computed
        ? before
        : list.map((element, index) =>
            planArguments(inner, { prior: before[index] ?? null, proposed: element, legacy }),
          );
  }
  if (prior === null) return planned;
  if (type === 'tfe_workspace') {
    planDestruction(planned, prior, config);
    // It reads no list while the state is shared with all, so it takes the list for one that is to be computed.
    if (prior.global_remote_state === true && isEmpty(prior.remote_state_consumer_ids))
      planned.remote_state_consumer_ids = unknownValue;
  }
  if (!legacy) markUnknown(planned, request);
  if (type === 'tfe_workspace_settings') planSettings(planned, prior, config);
  if (type === 'tfe_project_settings') planProjectSettings(planned, prior, config);
  return planned;
}

interface Planning {
  readonly prior: ExchangedObject | null;
  readonly proposed: ExchangedObject;
  readonly legacy: boolean;
}

function planArguments(
  documented: DocumentedArguments,
  { prior, proposed, legacy }: Planning,
): ExchangedObject {
  return Object.fromEntries(
    Object.entries(documented).map(([name, { computed, default: byDefault }]) => {
      const value = proposed[name];
      const before = prior?.[name];
      if (value !== null && value !== undefined) return [name, value];
      if (byDefault !== undefined) return [name, byDefault];
      if (prior === null) return [name, computed ? unknownValue : null];
      // The older kit keeps what is empty anyway.
      return [name, legacy && isEmpty(before) ? (before ?? null) : null];
    }),
  );
}

/** Left out, a scheduled destruction is removed, unless the project sets it. */
function planDestruction(
  planned: Record<string, Exchanged>,
  prior: ExchangedObject,
  config: ExchangedObject,
): void {
  if (prior.inherits_project_auto_destroy === true) return;
  if (config.auto_destroy_activity_duration === null) {
    planned.auto_destroy_activity_duration = null;
    if (config.auto_destroy_at === null) planned.auto_destroy_at = null;
  }
}

/** With any change, the newer kit takes every omitted argument with a value of the service for one that is to be computed. */
function markUnknown(planned: Record<string, Exchanged>, { type, prior, config }: PlanRequest): void {
  const computed = Object.entries(documentedResources[type].arguments).filter(
    ([name, { computed }]) => computed && name !== 'id' && config[name] === null,
  );
  const text = (value: Exchanged) => JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
  const isChanged = Object.keys(planned).some((name) => text(planned[name]) !== text(prior?.[name]));
  if (isChanged) for (const [name] of computed) planned[name] = unknownValue;
}

function planSettings(
  planned: Record<string, Exchanged>,
  prior: ExchangedObject,
  config: ExchangedObject,
): void {
  const [flags] = Array.isArray(prior.overwrites) ? prior.overwrites : [];
  if (config.execution_mode === null && (flags as ExchangedObject | undefined)?.execution_mode === true) {
    planned.overwrites = [{ execution_mode: false, agent_pool: false }];
    planned.execution_mode = unknownValue;
    planned.agent_pool_id = unknownValue;
  }
  if (config.remote_state_consumer_ids === null) planned.remote_state_consumer_ids = [];
}

/** Left out, the mode and the pool of the project are cleared; inherited ones stay as they are. */
function planProjectSettings(
  planned: Record<string, Exchanged>,
  prior: ExchangedObject,
  config: ExchangedObject,
): void {
  const flags = prior.overwrites as ExchangedObject | null;
  if (config.default_execution_mode !== null || flags?.default_execution_mode !== true) return;
  planned.overwrites = { default_execution_mode: false, default_agent_pool_id: false };
  planned.default_execution_mode = unknownValue;
  planned.default_agent_pool_id = unknownValue;
}

function asObjects(value: Exchanged): readonly ExchangedObject[] {
  return Array.isArray(value) ? value : [];
}

/** Arguments whose change replaces the resource. */
export function replacedBy({ type, prior }: PlanRequest, planned: ExchangedObject): readonly string[] {
  if (prior === null) return [];
  return Object.entries(documentedResources[type].arguments)
    .filter(([name, { replaces }]) => replaces && planned[name] !== prior[name])
    .map(([name]) => name);
}
