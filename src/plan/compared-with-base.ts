import type { Base, Configuration } from '../desired/configuration.ts';
import { declaredByBase, identityKeys } from '../diff/base/declared-by-base.ts';
import { noLongerDeclared, type StopsDeclaring } from '../diff/base/no-longer-declared.ts';
import type { Difference } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import type { BaseDeclaration, Plan, PlanBase } from '../model/plan.ts';
import type { Resource, ResourceKind, State } from '../model/state.ts';
import type { Values } from '../model/value.ts';

interface Compared extends Pick<StopsDeclaring, 'chosen'> {
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes'>;
}

/** What a plan records of its comparison with a base. */
export function comparedWithBase(
  configuration: Pick<Configuration, 'desired' | 'base'>,
  { live, difference: { changes }, chosen }: Compared,
): Pick<Plan, 'base' | 'noLongerDeclared'> {
  const { base, desired } = configuration;
  if (base === undefined) return {};
  const { ref, commit, onlyChanged, declared } = base;
  const declares =
    onlyChanged &&
    declarationsOf(
      changes.map(({ address }) => address),
      base,
      desired,
    );
  return {
    base: {
      ref,
      ...(commit !== undefined && { commit }),
      ...(onlyChanged && { onlyChanged }),
      ...(declares && { declares }),
    },
    ...(declared && {
      noLongerDeclared: noLongerDeclared({ ...base, desired, declared }, { live, changes, chosen }),
    }),
  };
}

/** What the base declares for addresses of the configuration. */
function declarationsOf(
  addresses: readonly string[],
  base: Base,
  { resources }: Pick<State, 'resources'>,
): NonNullable<PlanBase['declares']> {
  const before = declaredByBase(base);
  return Object.fromEntries(
    addresses.flatMap((address) => {
      const head = resources.get(address);
      const found = head && before.counterpart(head);
      if (found === undefined) return [];
      const absent = found.declared?.absent;
      const declaration: BaseDeclaration = {
        ...(found.address !== address && { address: found.address }),
        attributes: found.attributes,
        ...(absent && { absent }),
      };
      return [[address, declaration] as const];
    }),
  );
}

/**
 * The configuration with the base that a saved plan was made with, so that it is planned again with the same settings where
 * the base does not exist. A base only selects parts of the declarations: an edited one cannot add a change to them.
 */
export function withSavedBase(configuration: Configuration, { base }: Pick<Plan, 'base'>): Configuration {
  if (base?.onlyChanged === undefined) return configuration;
  const { desired, grantProjects } = configuration;
  const resources = Object.entries(base.declares ?? {}).flatMap(([address, declaration]) => {
    const head = desired.resources.get(address);
    return head ? [savedResource(head, declaration)] : [];
  });
  const { declares: _declares, ...settings } = base;
  return {
    ...configuration,
    base: {
      ...settings,
      declared: {
        desired: {
          ...desired,
          resources: new Map(resources.map((resource) => [resource.address, resource])),
        },
        prune: { workspaces: 'keep', teamAccess: false },
        grantProjects,
      },
    },
  };
}

function savedResource(
  head: Resource,
  { address = head.address, attributes, absent }: BaseDeclaration,
): Resource {
  const { name, id } = head;
  // What the base renames is found under its former name.
  const isFormer = head.kind === 'workspace' && !identityKeys(head).includes(address);
  const declared = { ...(absent && { absent }), ...(isFormer && { renamedFrom: name }) };
  const shared = { address, name, ...(Object.keys(declared).length > 0 && { declared }) };
  const made: { readonly [Kind in ResourceKind]: (values: Values) => Resource } = {
    project: (values) => ({
      kind: 'project',
      ...shared,
      ...(id !== undefined && { id }),
      attributes: values,
    }),
    workspace: (values) => ({ kind: 'workspace', ...shared, attributes: values }),
    // A grant is found by the ids of its project and team.
    'team-access': (values) => ({
      kind: 'team-access',
      ...shared,
      attributes: { ...values, project: String(head.attributes.project), team: String(head.attributes.team) },
    }),
  };
  return made[head.kind](attributes);
}

/** A plan that was made again, with what the saved plan shows of its base. */
export function withSavedCauses(again: Plan, saved: Plan): Plan {
  const { base, noLongerDeclared: dropped } = saved;
  if (base === undefined) return again;
  const changes = new Map(saved.changes.map((change) => [change.address, change]));
  return {
    ...again,
    base,
    ...(dropped && { noLongerDeclared: dropped }),
    changes: again.changes.map((change) => {
      const reviewed = changes.get(change.address);
      const fields = new Map(reviewed?.fields.map((field) => [field.path, field.cause]));
      const { cause: _cause, ...rest } = change;
      return {
        ...rest,
        ...(reviewed?.cause && { cause: reviewed.cause }),
        fields: change.fields.map(({ cause: _made, ...field }) => {
          const cause = fields.get(field.path);
          return { ...field, ...(cause && { cause }) };
        }),
      };
    }),
  };
}
