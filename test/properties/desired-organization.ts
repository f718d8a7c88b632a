import fc from 'fast-check';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import {
  agentPools,
  bindings,
  connections,
  customGrant,
  duration,
  type Flavour,
  grant,
  hasRetention,
  idOf,
  moment,
  type Name,
  names,
  paths,
  plainAttributes,
  projects,
  retention,
  some,
  sshKeys,
  tags,
  teams,
  words,
} from './live-organization.ts';

/** A configuration as plain data, below `attune` and `organization`. */
export type Desired = Readonly<Record<string, unknown>>;
type Layer = Record<string, unknown>;

const cleared = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3, nil: null });

const execution = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.record({ 'execution-mode': fc.constantFrom('remote', 'local') }),
  fc.record({ 'execution-mode': fc.constant('agent'), 'agent-pool-id': idOf(agentPools) }),
  fc.record({ operations: fc.boolean() }),
  fc.record({ 'execution-mode': fc.constant('remote'), 'agent-pool-id': fc.constant(null) }),
  fc.record({ 'agent-pool-id': cleared(idOf(agentPools)) }),
  fc.constant({ 'setting-overwrites': { 'execution-mode': false } }),
  fc.constant({ 'setting-overwrites': { 'agent-pool': false } }),
  fc.constant({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } }),
  fc
    .tuple(
      fc.oneof(
        fc.record({ 'execution-mode': fc.constantFrom('remote', 'local') }),
        fc.record({ 'execution-mode': fc.constant('agent'), 'agent-pool-id': idOf(agentPools) }),
      ),
      fc.constantFrom(
        { 'execution-mode': true },
        { 'agent-pool': true },
        { 'execution-mode': true, 'agent-pool': true },
      ),
    )
    .map(([mode, flags]) => ({ ...mode, 'setting-overwrites': flags })),
);

const emptyable = fc.option(paths, { freq: 3, nil: [] as string[] });
const triggers = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.record({ 'file-triggers-enabled': fc.boolean() }),
  fc.record({ 'trigger-patterns': emptyable }),
  fc.record({ 'trigger-prefixes': emptyable }),
  fc.record({ 'trigger-patterns': paths, 'trigger-prefixes': fc.constant([]) }),
  fc.record({ 'trigger-patterns': fc.constant([]), 'trigger-prefixes': paths }),
  fc.record({ 'file-triggers-enabled': fc.constant(true), 'trigger-patterns': emptyable }),
  fc.record({ 'file-triggers-enabled': fc.boolean(), 'trigger-prefixes': emptyable }),
);

const wholeRepository = {
  identifier: fc.constantFrom('acme/network', 'acme/billing'),
  'oauth-token-id': idOf(connections),
};
const repositoryDetails = some({
  branch: cleared(fc.constantFrom('main', 'next')),
  'ingress-submodules': fc.boolean(),
  'tags-regex': cleared(fc.constantFrom('^v\\d', '')),
});
const repository = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.constant({ 'vcs-repo': null }),
  fc
    .tuple(fc.record(wholeRepository), repositoryDetails)
    .map(([whole, details]) => ({ 'vcs-repo': { ...whole, ...details } })),
  // Only where there is one already; otherwise the plan reports what is missing.
  repositoryDetails.map((details) => ({ 'vcs-repo': details })),
  fc.record({ 'vcs-repo': fc.constant({ 'vcs-app-installation-id': 'ghain-1' }) }),
);

const destruction = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.record({ 'auto-destroy-at': cleared(moment) }),
  fc.record({ 'auto-destroy-activity-duration': cleared(duration) }),
  fc.record({ 'auto-destroy-at': moment, 'auto-destroy-activity-duration': fc.constant(null) }),
  fc.record({ 'auto-destroy-at': fc.constant(null), 'auto-destroy-activity-duration': duration }),
  fc.constant({ 'auto-destroy-at': null, 'auto-destroy-activity-duration': null }),
);

const { description, 'working-directory': folder, ...values } = plainAttributes;
const plain = some({ ...values, description: cleared(description), 'working-directory': cleared(folder) });

/** One switch is declared on only with the other one off. */
const switches = ({ dialect }: Flavour) =>
  fc.constantFrom<object>(
    {},
    { 'global-remote-state': false },
    { 'global-remote-state': true, ...(dialect === 'terraform' && { 'project-remote-state': false }) },
    ...(dialect === 'terraform'
      ? [{ 'project-remote-state': true, 'global-remote-state': false }, { 'project-remote-state': false }]
      : []),
  );

/** A set exactly, or at least these and none of those; what is in both would be a mistake of the file. */
function listRule<Item>(items: fc.Arbitrary<Item[]>): fc.Arbitrary<unknown> {
  return fc.oneof(
    items,
    fc.tuple(items, items).map(([add, remove]) => ({
      add,
      remove: remove.filter((item) => !add.some((added) => JSON.stringify(added) === JSON.stringify(item))),
    })),
  );
}

function oneOrMore(...texts: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom(...texts),
    fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 2 }),
  );
}

const consumer = (flavour: Flavour) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...names) },
    fc
      .record(
        {
          ...(flavour.dialect === 'terraform' && {
            tagged: fc.constantFrom({ env: 'prod' }, { owner: 'jo' }),
          }),
          tag: oneOrMore('prod', 'Managed'),
          project: oneOrMore('one', 'two', 'three'),
          name: oneOrMore('*a', 'a*', ...names),
          except: oneOrMore('*b', ...names),
        },
        { requiredKeys: [] },
      )
      .filter((selector) => Object.keys(selector).length > 0),
  );
const consumers = (flavour: Flavour) => {
  const list = fc.uniqueArray(consumer(flavour), { maxLength: 3, selector: (one) => JSON.stringify(one) });
  return fc.oneof({ weight: 2, arbitrary: listRule(list) }, exact(list));
};

function exact<Item>(items: fc.Arbitrary<Item[]>): fc.Arbitrary<unknown> {
  return items.map((exactly) => ({ exactly }));
}

/** Lists that a layer may hold for workspaces that differ in everything else. */
const layerLists = some({
  tags: fc.oneof({ weight: 3, arbitrary: tags }, exact(tags), listRule(tags)),
  'remote-state-consumers': fc.constantFrom<unknown>(
    [{ tag: 'prod' }],
    { exactly: [{ name: 'a*' }] },
    { add: [{ tag: 'prod' }], remove: [{ project: 'two' }] },
  ),
});

/** Key/value tags exactly, or at least these and none of those keys. */
const bindingRule = fc.oneof(
  bindings,
  bindings.map((exactly) => ({ exactly })),
  fc.tuple(bindings, fc.subarray(['env', 'owner', 'cost-center'])).map(([add, remove]) => ({
    add,
    remove: remove.filter((key) => !Object.hasOwn(add, key)),
  })),
);

/** Projects that are updated, renamed, created and deleted; `four` is not live. */
const managedProjects = fc
  .record({
    one: managed('One').map((rest) => ({ ...rest, id: projects.One })),
    two: managed('Second').map((rest) => ({ ...rest, 'renamed-from': 'Two' })),
    four: managed('Four'),
    spare: fc.constant({ name: 'Spare', manage: true, state: 'absent' }),
  })
  .map((given) => ({ ...given, three: projects.Three }));

function managed(name: string) {
  const values = some({
    description: cleared(words),
    'auto-destroy-activity-duration': cleared(duration),
    'tag-bindings': bindingRule,
  });
  return values.map((rest) => ({ ...rest, name, manage: true }));
}

function relations(flavour: Flavour) {
  return some({
    project: fc.constantFrom('one', 'two', 'three', ...(flavour.dialect === 'terraform' ? ['four'] : [])),
    ...(flavour.dialect === 'terraform' && { 'tag-bindings': bindingRule }),
    tags: fc.oneof(listRule(tags), exact(tags)),
    'remote-state-consumers': consumers(flavour),
    'ssh-key': cleared(fc.constantFrom('deploy', 'old')),
    lock: fc.oneof(cleared(fc.boolean()), fc.constant({ reason: 'change freeze' })),
    ...(hasRetention(flavour) && { 'data-retention': cleared(retention) }),
  });
}

function layer(flavour: Flavour): fc.Arbitrary<Layer> {
  return fc
    .tuple(plain, switches(flavour), execution, triggers, repository, destruction, relations(flavour))
    .map((parts) => Object.assign({}, ...parts) as Layer);
}

const tombstone = some({ delete: fc.constantFrom('safe', 'force') }).map((rest) => ({
  state: 'absent',
  ...rest,
}));

interface Declared {
  readonly layer: Layer;
  readonly as: string;
}

function workspace(name: Name, flavour: Flavour): fc.Arbitrary<Declared> {
  return fc.oneof(
    { weight: 6, arbitrary: layer(flavour).map((kept) => ({ layer: kept, as: name })) },
    { weight: 1, arbitrary: tombstone.map((gone) => ({ layer: gone, as: name })) },
    {
      weight: 1,
      arbitrary: layer(flavour).map((kept) => ({
        layer: { ...kept, 'renamed-from': name },
        as: `${name}-new`,
      })),
    },
  );
}

export const scopes = fc.constantFrom(
  { projects: ['one', 'two'] },
  { tags: ['prod'] },
  { tags: ['Managed'] },
  { names: ['*a'] },
  { projects: ['one'], names: ['a*', '*ta'] },
);
const pruning = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.record({
    scope: fc
      .tuple(scopes, some({ adopt: fc.subarray([...names]) }), fc.constantFrom(true, false, false, false))
      .map(([parts, rest, enforce]) => ({ ...parts, ...rest, enforce })),
    prune: some({ workspaces: fc.constantFrom('keep', 'safe', 'force'), 'team-access': fc.boolean() }),
  }),
);

const roles = {
  auditor: { access: 'custom', 'workspace-access': { runs: 'plan' } },
  author: { access: 'write' },
};

const declaredGrant = (flavour: Flavour) =>
  fc.oneof(
    { weight: 3, arbitrary: grant(flavour) },
    customGrant(flavour),
    fc.constant('none'),
    fc.constantFrom<unknown>(...Object.keys(roles), {
      access: 'auditor',
      'workspace-access': { runs: 'apply', locking: true },
    }),
  );

/** Keys that a workspace may stop inheriting. */
const inheritable = ['auto-apply', 'description', 'iac-version', 'tags', 'remote-state-consumers'] as const;

/** The desired side, for a live organization that it may or may not fit. */
export function desiredOrganization(flavour: Flavour, live: OrganizationSeed): fc.Arbitrary<Desired> {
  const sharedLayer = fc.tuple(plain, layerLists).map(([attributes, more]) => ({ ...attributes, ...more }));
  return fc
    .record({
      workspaces: fc.tuple(...names.map((name) => fc.option(workspace(name, flavour), { freq: 3 }))),
      access: some(
        Object.fromEntries(
          ['one', 'two', 'three'].map((project) => [
            project,
            some(Object.fromEntries(Object.keys(teams).map((team) => [team, declaredGrant(flavour)]))),
          ]),
        ),
      ),
      defaults: fc.option(sharedLayer, { freq: 2 }),
      template: fc.option(sharedLayer, { freq: 2 }),
      extending: fc.subarray([...names]),
      stopping: fc.tuple(...names.map(() => fc.option(fc.subarray([...inheritable]), { freq: 2, nil: [] }))),
      pruning,
      dialect: fc.boolean(),
      managing: flavour.dialect === 'terraform' ? managedProjects : fc.constant(undefined),
    })
    .map((given) => {
      const { workspaces, access, defaults, template, extending, stopping, dialect, managing } = given;
      const declared = workspaces.flatMap((one) => one ?? []);
      const absent = new Set(declared.filter(({ layer: one }) => one.state === 'absent').map(({ as }) => as));
      return {
        ...(dialect && { service: { dialect: flavour.dialect } }),
        projects: managing ?? { one: projects.One, two: projects.Two, three: projects.Three },
        teams,
        'ssh-keys': sshKeys,
        ...(defaults && { defaults: { workspace: defaults } }),
        ...(template && { templates: { common: template } }),
        workspaces: Object.fromEntries(
          declared.map(({ as, layer: own }) => {
            const extended = template && own.state !== 'absent' && extending.some((name) => name === as);
            const fitted = triggering(as, fitting(as, own, live), live, flavour);
            const stopped = stopping[names.findIndex((name) => as.startsWith(name))] ?? [];
            const unmanaged = stopped.filter((key) => own.state !== 'absent' && !Object.hasOwn(fitted, key));
            return [
              as,
              sharing(
                as,
                {
                  ...fitted,
                  ...(extended && { extends: 'common' }),
                  ...(unmanaged.length > 0 && { unmanaged }),
                },
                { live, declared, absent },
              ),
            ];
          }),
        ),
        roles,
        'team-access': access,
        ...given.pruning,
        limits: { deletes: 1000, 'delete-percent': 100 },
      };
    });
}

/** Without what only makes sense for a workspace that exists and has the rest of it: otherwise the plan reports it. */
function fitting(as: string, layer: Layer, { workspaces = {} }: OrganizationSeed): Layer {
  const there = workspaces[as] ?? workspaces[String(layer['renamed-from'])];
  const { 'vcs-repo': repo, 'agent-pool-id': pool, ...rest } = layer;
  const fits = {
    'vcs-repo':
      repo === null || there?.['vcs-repo'] !== undefined || Object.hasOwn(Object(repo), 'identifier'),
    'agent-pool-id':
      pool === null || layer['execution-mode'] === 'agent' || there?.['execution-mode'] === 'agent',
  };
  return {
    ...rest,
    ...(repo !== undefined && fits['vcs-repo'] && { 'vcs-repo': repo }),
    ...(pool !== undefined && fits['agent-pool-id'] && { 'agent-pool-id': pool }),
  };
}

/** Live services take one way to start runs at a time, so the others are taken out of the way. */
function triggering(
  as: string,
  layer: Layer,
  { workspaces = {} }: OrganizationSeed,
  { dialect }: Flavour,
): Layer {
  if (dialect !== 'terraform') return layer;
  const there = workspaces[as] ?? workspaces[String(layer['renamed-from'])];
  const { 'vcs-repo': repo, 'trigger-patterns': patterns, 'trigger-prefixes': prefixes } = layer;
  const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;
  const regexOf = (value: unknown) => Object(value)['tags-regex'] as string | null | undefined;
  if (regexOf(repo))
    return { ...layer, 'file-triggers-enabled': false, 'trigger-patterns': [], 'trigger-prefixes': [] };
  const hasRegex = regexOf(there?.['vcs-repo']) && repo !== null && regexOf(repo) === undefined;
  const wants = isFilled(patterns) || isFilled(prefixes) || layer['file-triggers-enabled'] === true;
  return {
    ...layer,
    ...(hasRegex && wants && { 'vcs-repo': { ...Object(repo), 'tags-regex': null } }),
    ...(isFilled(patterns) && { 'file-triggers-enabled': true }),
    ...(layer['file-triggers-enabled'] === false && patterns === undefined && { 'trigger-patterns': [] }),
  };
}

interface Others {
  readonly live: OrganizationSeed;
  readonly declared: readonly Declared[];
  readonly absent: ReadonlySet<string>;
}

/** Consumers are workspaces that will exist, of a state that is not shared with all. */
function sharing(as: string, layer: Layer, { live, declared, absent }: Others): Layer {
  const rule = layer['remote-state-consumers'];
  if (rule === undefined) return layer;
  const formerly = new Map(
    declared.flatMap((one) => ('renamed-from' in one.layer ? [[one.layer['renamed-from'], one.as]] : [])),
  );
  const isThere = (name: unknown) =>
    declared.some((one) => one.as === name) || Object.keys(live.workspaces ?? {}).some((one) => one === name);
  const kept = (list: readonly unknown[]) =>
    list.flatMap((ref) => {
      if (typeof ref !== 'string') return [ref];
      const name = formerly.get(ref) ?? ref;
      return isThere(name) && name !== as && !absent.has(String(name)) ? [name] : [];
    });
  // Only the live service of the terraform dialect has it.
  const hasProjectSharing =
    'project-remote-state' in layer ||
    Object.values(live.workspaces ?? {}).some((one) => one?.['project-remote-state'] === true);
  const { exactly, add, remove } = rule as Readonly<
    Record<'exactly' | 'add' | 'remove', unknown[] | undefined>
  >;
  return {
    ...layer,
    'global-remote-state': false,
    ...(hasProjectSharing && { 'project-remote-state': false }),
    'remote-state-consumers': Array.isArray(rule)
      ? kept(rule)
      : exactly
        ? { exactly: kept(exactly) }
        : { add: kept(add ?? []), remove: kept(remove ?? []) },
  };
}
