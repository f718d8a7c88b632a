import type { Configuration } from '../../desired/configuration.ts';
import { showPlace } from '../../desired/declarations.ts';
import { asListRule } from '../../diff/list-rule.ts';
import { type LiveSource, serviceSource } from '../../live/live-source.ts';
import { aliasKindTable } from '../../model/alias-kind.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import {
  type ConsumerRef,
  isWorkspaceId,
  resourcesOf,
  type WorkspaceValues,
  workspaceAddress,
} from '../../model/state.ts';
import { lookUpNames } from '../../plan/look-up-names.ts';
import { unknownIds, unknownWorkspaces, unlistedKinds } from '../../plan/unknown-ids.ts';
import type { Diagnosed, ServiceFacts } from './check-list.ts';
import { actionsOf, type CheckedAction, type CheckedObject } from './declared-actions.ts';

/** The number of objects that a line names. */
const namedObjects = 3;

/**
 * Checks what the token may do with what is declared, by the `permissions` of the documents of the service. An action
 * that nothing declares has no check.
 */
export async function checkPermissions(diagnosed: Diagnosed, facts: ServiceFacts): Promise<void> {
  const { list } = diagnosed;
  const source = serviceSource(diagnosed.connect().client);
  const configuration = await withIds(diagnosed, source);
  await checkWrittenIds(diagnosed, source);
  if (configuration === undefined) return list.skip('permissions', 'not all names are known');
  const actions = await actionsOf(configuration, diagnosed, facts);
  const declared = actions.filter(({ objects }) => objects.length > 0);
  if (declared.length === 0) list.skip('permissions', 'nothing is declared');
  for (const action of declared) report(action, diagnosed);
}

async function withIds(
  { configuration, list }: Diagnosed,
  source: LiveSource,
): Promise<Configuration | undefined> {
  if (configuration.lookUps.length === 0) return configuration;
  const { organization } = configuration.desired;
  try {
    const named = await lookUpNames(configuration, (kind) => source.names(organization, kind), {
      purpose: 'apply',
    });
    list.ok('names', 'all names of projects, teams and keys are known');
    return named;
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    list.fail('names', `${errors[0]?.message}${more}`, errors[0]?.hint ?? 'run `attune plan` for all errors');
    return undefined;
  }
}

/** Checks that each id in the files belongs to something in the organization. */
async function checkWrittenIds({ configuration, list }: Diagnosed, source: LiveSource): Promise<void> {
  const { desired, ids = [] } = configuration;
  const isDeclared = (name: string) => desired.resources.has(workspaceAddress(name));
  const consumers = resourcesOf(desired.resources.values(), 'workspace').flatMap(
    ({ address, location, attributes }) =>
      wantedConsumers(attributes['remote-state-consumers']).flatMap((ref) =>
        typeof ref === 'string' && isWorkspaceId(ref) && !isDeclared(ref)
          ? { id: ref, address, location }
          : [],
      ),
  );
  if (ids.length + consumers.length === 0) return;
  const input = { configuration, source };
  const [first, ...others] = [
    ...(await unknownIds(ids, input)),
    ...(await unknownWorkspaces(consumers, input)),
  ];
  if (first === undefined) {
    const unlisted = (await unlistedKinds(ids, input)).map((kind) => aliasKindTable[kind].plural);
    const beside = unlisted.length > 0 ? `; not listed to this token: ${unlisted.join(', ')}` : '';
    return list.ok('ids', `all ids belong to something in ${desired.organization}${beside}`);
  }
  const at = first.location ? ` (${showPlace(first.location)})` : '';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  list.fail('ids', `${first.message}${at}${more}`, first.hint ?? 'correct the id');
}

/** An entry that is removed need not exist. */
function wantedConsumers(list: WorkspaceValues['remote-state-consumers']): readonly ConsumerRef[] {
  const rule = asListRule<ConsumerRef>(list);
  if (rule === undefined) return [];
  return 'add' in rule ? rule.add : rule.exactly;
}

function report({ check, permission, objects }: CheckedAction, { list }: Diagnosed): void {
  const refused = objects.filter(({ isAllowed }) => isAllowed === false);
  const unknown = objects.filter(({ isAllowed }) => isAllowed === undefined);
  if (refused.length > 0) {
    list.fail(
      check,
      `${permission} is false for ${refused.length} of ${objects.length}: ${namesOf(refused)}`,
      `give the token a role that has ${permission} there, or remove these declarations`,
    );
  } else if (unknown.length === objects.length) {
    list.skip(check, `the service does not show ${permission}`);
  } else {
    const beside = unknown.length > 0 ? `; not shown for ${unknown.length}: ${namesOf(unknown)}` : '';
    list.ok(
      check,
      `${permission} for ${objects.length - unknown.length} of ${objects.length} declared${beside}`,
    );
  }
}

function namesOf(objects: readonly CheckedObject[]): string {
  const rest = objects.length - namedObjects;
  const names = objects.slice(0, namedObjects).map(({ name }) => name);
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
