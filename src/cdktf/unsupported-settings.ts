import { sameAttribute } from '../diff/fields.ts';
import type { AttributePath } from '../model/attribute-values.ts';
import {
  destroyDuration,
  destroyTime,
  inheritedDestroyDuration,
  modeFlag,
  poolFlag,
  sharingSwitchOf,
} from '../model/attributes.ts';
import type { FieldChange } from '../model/change.ts';
import { type Diagnostic, note, warning } from '../model/diagnostic.ts';
import { asBindingRule, type ListRule } from '../model/list-rule.ts';
import type {
  ConsumerRef,
  GrantResource,
  ProjectResource,
  Resource,
  WorkspaceResource,
} from '../model/state.ts';
import { isRecord, listTexts, type Value } from '../model/value.ts';
import { attributePlaces } from './places.ts';
import type { TerraformReference } from './terraform-document.ts';

export interface ExportedWorkspace {
  /** The declared values; each declared key is managed. */
  readonly desired: WorkspaceResource;
  /** The planned workspace: the live values overridden by the managed ones, with selectors and names resolved. */
  readonly target: WorkspaceResource;
  /** Absent if the workspace is to be created. */
  readonly live?: WorkspaceResource | undefined;
  readonly fields: readonly FieldChange[];
  readonly name: string;
  readonly id: TerraformReference;
  readonly unsupported: readonly UnsupportedSetting[];
}

interface UnsupportedSetting {
  readonly path: string;
  readonly reason: string;
  /**
   * - `never`: not written, so Terraform leaves it alone;
   * - `once`: written when the workspace is created, and ignored afterwards;
   * - `as-is`: written with the value that it has or resolves to today.
   */
  readonly written: 'never' | 'once' | 'as-is';
}

type Declared = Omit<ExportedWorkspace, 'unsupported'>;
type Found = UnsupportedSetting | readonly UnsupportedSetting[] | false | undefined;

export function unsupportedSettings(workspace: Declared): readonly UnsupportedSetting[] {
  return rules.flatMap((rule) => rule(workspace) || []);
}

const setting = (written: UnsupportedSetting['written']) => (path: string, reason: string) => ({
  ...{ path, reason, written },
});
const never = setting('never');
const asIs = setting('as-is');

function once(path: string, argument: string): UnsupportedSetting {
  const reason = `the provider's ${argument} is a complete list, which is written on create only`;
  return { path, reason, written: 'once' };
}

const rules: readonly ((workspace: Declared) => Found)[] = [
  ({ desired }) =>
    desired.attributes.lock !== undefined && never('lock', 'the provider does not support locks'),
  ({ desired }) =>
    desired.attributes['data-retention'] === null &&
    never('data-retention', 'the provider cannot declare that there is no policy'),
  ({ desired: { attributes } }) =>
    (attributes.description === null || attributes.description === '') &&
    never('description', 'the provider never clears a description'),
  // The provider cancels a destruction unless a duration sets its time, also one that it ignores.
  ({ desired, target: { attributes } }) =>
    desired.attributes[destroyTime] === null &&
    Boolean(attributes[destroyDuration] || attributes[inheritedDestroyDuration]) &&
    never(destroyTime, `the provider keeps the time that ${destroyDuration} sets`),
  tags,
  ({ desired }) => bindingSettings(desired),
  consumers,
  source,
  triggers,
  execution,
  ({ desired, live }) =>
    desired.attributes['assessments-enabled'] !== undefined &&
    live !== undefined &&
    live.attributes['assessments-enabled'] === undefined &&
    never('assessments-enabled', 'this service does not return it, which the provider reads as false'),
];

/** The tags that the provider accepts; the service accepts more and lower-cases them. */
const providerTag = /^[a-z0-9](?:[a-z0-9_:-]*[a-z0-9])?$/;

function tags({ desired, target }: Declared): Found {
  const rule = desired.attributes.tags as ListRule | undefined;
  if (rule === undefined) return undefined;
  const refused = listTexts(target.attributes.tags).filter((tag) => !providerTag.test(tag));
  if (refused.length === 0) return 'add' in rule && once('tags', 'tag_names');
  const quotedTags = refused.map((tag) => JSON.stringify(tag)).join(', ');
  return never(
    'tags',
    `the provider refuses ${quotedTags}: it accepts lower-case letters and digits, separated by : _ -`,
  );
}

function bindingSettings({ attributes }: WorkspaceResource | ProjectResource): UnsupportedSetting[] {
  const path = 'tag-bindings';
  const rule = asBindingRule(attributes[path]);
  if (rule === undefined) return [];
  if ('add' in rule) return [once(path, 'tags')];
  const reason = 'the provider does not distinguish a tag without a value from one with an empty value';
  return Object.values(rule.exactly).includes(null) ? [asIs(path, reason)] : [];
}

function consumers({ desired, target }: Declared): Found {
  const path = 'remote-state-consumers';
  const rule = desired.attributes[path] as ListRule<ConsumerRef & Value> | undefined;
  if (rule === undefined) return undefined;
  const shared = sharingSwitchOf(target.attributes);
  if (shared) return never(path, `${shared} is true, so the list has no effect`);
  if ('add' in rule) return once(path, 'remote_state_consumer_ids');
  return (
    rule.exactly.some((consumer) => typeof consumer !== 'string') &&
    asIs(path, 'the provider has no selectors: the workspaces that match today are written')
  );
}

/** The provider requires both or neither. */
function source({ desired }: Declared): Found {
  const { 'source-name': name, 'source-url': url } = desired.attributes;
  if (name !== undefined && url === undefined)
    return never('source-name', 'the provider requires source-url, too');
  if (url !== undefined && name === undefined)
    return never('source-url', 'the provider requires source-name, too');
  if (typeof url !== 'string' || /^https?:\/\/[^/]/.test(url)) return undefined;
  const reason = 'the provider accepts only a source-url with http:// or https://';
  return [never('source-name', reason), never('source-url', reason)];
}

/** The service has three ways to trigger a run; the provider accepts one of them. */
export function declaredTriggers({ desired, target }: Declared): readonly AttributePath[] {
  const paths = ['trigger-patterns', 'trigger-prefixes', 'vcs-repo.tags-regex'] as const;
  return paths.filter((path) => {
    const value = [target.attributes[path] ?? ''].flat();
    return desired.attributes[path] !== undefined && value.some((text) => text !== '');
  });
}

function triggers(workspace: Declared): Found {
  const used = declaredTriggers(workspace);
  if (used.length < 2)
    return used
      .filter((path) => isRecord(workspace.desired.attributes[path]))
      .map((path) => once(path, attributePlaces[path].argument));
  const reason = `the provider accepts only one of ${used.join(', ')}; none of them is written`;
  return used.map((path) => never(path, reason));
}

function execution({ desired, target, live }: Declared): Found {
  const {
    [modeFlag]: hasOwnMode,
    [poolFlag]: flag,
    'execution-mode': mode,
    'agent-pool-id': pool,
    operations,
  } = desired.attributes;
  const inherits = hasOwnMode === false;
  // The provider sets both flags by the mode: own if it is written, inherited if it is omitted and not ignored.
  const isOwn = !inherits && (mode !== undefined || typeof pool === 'string');
  const isEqual = (path: string) =>
    desired.attributes[path] === undefined ||
    sameAttribute(path, live?.attributes[path], desired.attributes[path]);
  const keepsInherited =
    isOwn && live?.attributes[modeFlag] === false && isEqual('execution-mode') && isEqual('agent-pool-id');
  const found: Found[] = [
    !inherits &&
      pool === null &&
      mode === undefined &&
      never('agent-pool-id', 'the provider removes a pool only together with the execution mode'),
    !inherits &&
      mode === 'agent' &&
      typeof target.attributes['agent-pool-id'] !== 'string' &&
      never('execution-mode', 'the provider requires a pool with agent, but none is known'),
    inherits &&
      typeof pool === 'string' &&
      never('agent-pool-id', 'the provider inherits the pool together with the execution mode'),
    !isOwn &&
      hasOwnMode === true &&
      never(modeFlag, 'the provider sets it only together with the execution mode'),
    keepsInherited &&
      asIs(
        mode === undefined ? 'agent-pool-id' : 'execution-mode',
        'the workspace inherits the same value, which the provider makes its own only beside other changes',
      ),
    !inherits &&
      operations !== undefined &&
      live?.attributes[modeFlag] === false &&
      isEqual('operations') &&
      asIs('operations', 'the workspace inherits the same value, which the provider does not make its own'),
    flag !== undefined &&
      (flag !== isOwn || !(isOwn || inherits)) &&
      never(poolFlag, 'the provider sets it to the flag of the execution mode'),
  ];
  return found.flatMap((one) => one || []);
}

/** A reason belongs to the end, if there is one. */
function grantSettings({ declared: { until, reason } = {} }: GrantResource): UnsupportedSetting[] {
  if (until !== undefined) return [never('until', 'the provider has no access that ends')];
  return reason === undefined ? [] : [never('reason', 'the provider keeps no reason')];
}

export function unsupportedOf(
  resource: Resource,
  settings: readonly UnsupportedSetting[] = resource.kind === 'team-access'
    ? grantSettings(resource)
    : bindingSettings(resource),
): Diagnostic[] {
  const { address, name, declared, location } = resource;
  return settings.map(({ path, reason, written }) => {
    const at = { address, location: declared?.locations?.[path] ?? location };
    return written === 'never'
      ? warning('not-in-terraform', `${path} of "${name}" is not exported: ${reason}`, { at })
      : note('less-in-terraform', `${path} of "${name}" is exported with restrictions: ${reason}`, { at });
  });
}
