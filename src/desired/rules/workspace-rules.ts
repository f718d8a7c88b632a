import {
  inheritsPool,
  modeFlag,
  poolFlag,
  type SharingSwitch,
  sharingSwitches,
} from '../../model/attributes.ts';
import { type SourceLocation, showPlace } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { countingLists, type Field, type Fields, type Layered } from '../../model/fields.ts';
import { quote } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import { type Loading, reporter } from '../problems.ts';
import type { RawLayer } from '../schema/language.ts';
import { conflictOf, type FindProblem, settingRules } from './setting-rules.ts';

interface CheckedWorkspace extends Pick<Layered, 'fields' | 'removed'> {
  readonly name: string;
  readonly address: string;
}

interface RuleContext {
  readonly loading: Loading;
  readonly dialect: Dialect | undefined;
  readonly tombstones: ReadonlyMap<string, SourceLocation>;
}

const consumersPath = 'remote-state-consumers';

function declaredSwitch(fields: Fields): { readonly path: SharingSwitch; readonly field: Field } | undefined {
  for (const path of sharingSwitches) {
    const field = fields.get(path);
    if (field?.value === true) return { path, field };
  }
  return undefined;
}

const sharedConsumers: FindProblem = (fields) => {
  const consumers = fields.get(consumersPath);
  const shared = declaredSwitch(fields);
  if (!consumers || !shared) return undefined;
  const { path, field } = shared;
  const message = `"${consumersPath}" cannot be combined with ${path}: true`;
  const hint = `write ${path}: false to share the state with these consumers only`;
  return conflictOf([consumers, field], 'consumers-with-global', message, { hint });
};

export function checkWorkspace(workspace: CheckedWorkspace, context: RuleContext): void {
  const { fields, removed, address } = workspace;
  for (const find of [...settingRules, sharedConsumers]) {
    const found = find(fields, context.dialect, removed);
    if (found) context.loading.problems.add({ ...found, address });
  }
  const consumers = fields.get(consumersPath);
  if (consumers) checkConsumers(workspace, consumers, context);
}

function checkConsumers(
  { name, address }: CheckedWorkspace,
  consumers: Field,
  { loading, tombstones }: RuleContext,
): void {
  const { error } = reporter(loading, address);
  const rule = isRecord(consumers.value) ? consumers.value : {};
  const wanted = new Set<unknown>([rule.exactly, rule.add].flat());
  for (const { field, list } of countingLists(consumers))
    for (const [index, consumer] of list.items.entries()) {
      if (typeof consumer !== 'string' || list.effect === 'remove' || !wanted.has(consumer)) continue;
      const tombstone = tombstones.get(consumer);
      if (tombstone)
        error(
          'reference-to-tombstone',
          `${quote(consumer)} is deleted (state: absent at ${showPlace(tombstone)})`,
          list.locate(index),
        );
      // A list of a layer leaves the workspace itself out, as a selector does.
      else if (consumer === name && field.layer === 'workspace')
        error('self-consumer', `the workspace ${quote(name)} cannot be its own consumer`, list.locate(index));
    }
}

function withoutField(layered: Layered, path: string, [by, field]: readonly [string, Field]): Layered {
  const fields = new Map(layered.fields);
  const removed = new Map(layered.removed);
  removed.set(path, { field: fields.get(path) as Field, path: by, by: field });
  fields.delete(path);
  return { ...layered, fields, removed };
}

export function withoutIgnoredConsumers(layered: Layered, address: string, loading: Loading): Layered {
  const consumers = layered.fields.get(consumersPath);
  const shared = declaredSwitch(layered.fields);
  if (!consumers || consumers.layer === 'workspace' || !shared) return layered;
  const { path, field } = shared;
  reporter(loading, address).note(
    'consumers-ignored',
    `"${consumersPath}" of a layer is ignored: ${path} is true, see ${showPlace(field.location)}`,
    consumers.location,
    `write ${path}: false to share the state with these consumers only, or unmanaged: [${consumersPath}] at the workspace`,
  );
  return withoutField(layered, consumersPath, [path, field]);
}

/**
 * The layers of a workspace without a mode or pool that the flag beside it inherits. Layers override each other, so both are of
 * one layer here.
 */
export function withoutInheritedExecution(layered: Layered, address: string, loading: Loading): Layered {
  const valueAt = (path: string) => layered.fields.get(path)?.value;
  const ownFlag = valueAt(poolFlag) === false ? poolFlag : modeFlag;
  const ignored = [
    ['execution-mode', valueAt(modeFlag) === false, modeFlag],
    ['agent-pool-id', inheritsPool(valueAt), ownFlag],
  ] as const;
  return ignored.reduce((all, [path, isIgnored, flag]) => {
    const field = layered.fields.get(path);
    if (!isIgnored || !field) return all;
    const message = `"${path}" is ignored: ${flag}: false selects the default of the project, else the organization's`;
    if (field.value !== undefined && field.value !== null)
      reporter(loading, address).warning('ignored-setting', message, field.location);
    return withoutField(all, path, [flag, layered.fields.get(flag) as Field]);
  }, layered);
}

export function checkTombstone(
  layer: RawLayer,
  { address, base, loading }: { address: string; base: Fields; loading: Loading },
): void {
  const { error, atKey } = reporter(loading, address);
  const former = layer['renamed-from'];
  if (former !== undefined)
    error(
      'renamed-from',
      `a workspace with state: absent is not renamed, and ${quote(former)} would stay`,
      atKey(layer, 'renamed-from'),
      `remove the line; to delete ${quote(former)}, declare it with state: absent`,
    );
  const isOwn = Object.hasOwn(layer, 'protect');
  const inherited = base.get('protect');
  if (isOwn ? layer.protect !== true : inherited?.value !== true) return;
  const message = `the workspace is protected${isOwn || !inherited ? '' : ` (${showPlace(inherited.location)})`} and cannot be deleted`;
  const hint = isOwn ? 'remove protect: true first' : 'add protect: false next to state: absent';
  error('protected', message, atKey(layer, isOwn ? 'protect' : 'state'), hint);
}
