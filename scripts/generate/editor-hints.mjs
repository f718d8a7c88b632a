// What editors offer for the keys of a configuration: examples and snippets in the schema. A key without an enumeration,
// a boolean or keys inside it needs a hint; test/desired/schema.test.ts fails without one.

const example = (...examples) => ({ examples });
/** A list: the snippet inserts its first entry. */
const list = (entry) => ({ entry, snippets: [{ label: 'list', body: [`\${1:${entry}}`] }] });

/** A list that layers merge: the second snippet changes what layers declare. */
const mergedList = (entry) => {
  const { snippets } = list(entry);
  const change = { add: [`\${1:${entry}}`], remove: [] };
  return { entry, snippets: [...snippets, { label: 'add and remove', body: change }] };
};

/** By key, or by the key and the one that holds it. */
const hints = {
  organization: example('acme'),
  include: list('workspaces/*.yaml'),
  'service.address': example('embedded', 'https://iac.example.com'),
  'service.rate': example(20),
  'service.parallelism': example(10),
  'service.timeout': example(30),
  'service.without': list('data-retention'),
  'service.data': example('.attune/embedded.json'),
  'service.seed': example('seed.yaml'),
  alias: example('prj-7hWq'),
  'alias.name': example('Platform'),
  'projects.*': example('prj-7hWq'),
  'project.name': example('Payments Platform'),
  'project.id': example('prj-7hWq'),
  'project.renamed-from': example('Shop'),
  extends: { ...example('service'), entry: 'service' },
  'renamed-from': example('billing'),
  project: example('platform'),
  'workspace.tags': mergedList('prod'),
  tags: list('prod'),
  projects: list('platform'),
  names: list('*-prod'),
  adopt: list('billing-prod'),
  protect: list('*-prod'),
  'keep-admin': list('sre'),
  unmanaged: list('iac-version'),
  exactly: list('prod'),
  add: list('prod'),
  remove: list('staging'),
  'remote-state-consumers': mergedList('billing-prod'),
  'remote-state-consumers.exactly': list('billing-prod'),
  'remote-state-consumers.add': list('billing-prod'),
  'remote-state-consumers.remove': list('reports'),
  'ssh-key': example('deploy'),
  lock: {
    ...example(true),
    snippets: [{ label: 'locked with a reason', body: { reason: `\${1:change freeze}` } }],
  },
  reason: example('change freeze'),
  'delete-older-than-days': example(30),
  'agent-pool-id': example('onprem'),
  'auto-destroy-at': example('2026-01-31T18:00:00Z'),
  'auto-destroy-activity-duration': example('14d'),
  description: example('Shared VPCs'),
  'source-name': example('attune'),
  'source-url': example('https://git.example.com/acme/infrastructure'),
  'iac-version': { snippets: [{ label: 'version', body: `"\${1:~> 1.9.0}"` }] },
  'trigger-patterns': mergedList('modules/**/*.tf'),
  'trigger-patterns.exactly': list('modules/**/*.tf'),
  'trigger-patterns.add': list('modules/**/*.tf'),
  'trigger-patterns.remove': list('modules/**/*.tf'),
  'trigger-prefixes': mergedList('modules/network'),
  'trigger-prefixes.exactly': list('modules/network'),
  'trigger-prefixes.add': list('modules/network'),
  'trigger-prefixes.remove': list('modules/network'),
  'working-directory': example('environments/prod'),
  branch: example('main'),
  identifier: example('acme/network'),
  'oauth-token-id': example('github'),
  'vcs-app-installation-id': example('ghain-4Fq'),
  'tags-regex': example(String.raw`v\d+\.\d+\.\d+`),
  tag: { ...example('needs-network'), entry: 'needs-network' },
  name: { ...example('*-prod'), entry: '*-prod' },
  'selector.project': { ...example('payments'), entry: 'payments' },
  except: { ...example('web-dev'), entry: 'web-dev' },
  consumer: example('billing-prod'),
  protection: example('*-prod'),
  level: example('read', 'write', 'maintain', 'admin', 'custom', 'none'),
  grant: {
    ...example('read', 'write', 'maintain', 'admin', 'none'),
    snippets: [
      {
        label: 'custom',
        description: 'Single permissions.',
        body: {
          access: 'custom',
          'project-access': { settings: `\${1:read}` },
          'workspace-access': { runs: `\${2:plan}` },
        },
      },
      { label: 'role', description: 'The name of a role under roles.', body: `\${1:auditor}` },
    ],
  },
  'tag-bindings.*': example('prod'),
  'exactly.*': example('prod'),
  'add.*': example('prod'),
  'tagged.*': example('prod'),
  policies: {
    snippets: [
      {
        label: 'policy',
        description: 'A rule that every plan must meet.',
        body: [
          {
            id: `\${1:prod-no-auto-apply}`,
            on: `\${2|change,workspace,grant,project,plan|}`,
            when: `\${3:change.kind == 'workspace' && change.name.endsWith('-prod')}`,
            require: `"\${4:!change.fields.exists(f, f.path == 'auto-apply' && f.after == true)}"`,
            message: `\${5:Production runs are applied manually.}`,
          },
        ],
      },
    ],
  },
  'policy.id': example('prod-no-auto-apply'),
  when: example("change.kind == 'workspace' && change.name.endsWith('-prod')"),
  require: example("!change.fields.exists(f, f.path == 'auto-apply' && f.after == true)"),
  message: example('Production runs are applied manually.'),
  deletes: example(10),
  'delete-percent': example(30),
  revokes: example(10),
  updates: example(200),
  'update-percent': example(50),
};

/** Parts that `app.synth()` writes and no user edits. */
const internal = new Set(['synthesized', 'place', 'problem']);

/** The schema with the hints of all its keys. */
export function withEditorHints(schema) {
  const { $defs, ...root } = schema;
  return {
    ...hinted(root, []),
    $defs: Object.fromEntries(
      Object.entries($defs).map(([name, part]) => [name, internal.has(name) ? part : hinted(part, [name])]),
    ),
  };
}

function hinted(schema, path) {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema;
  const inside = (properties) =>
    Object.fromEntries(
      Object.entries(properties).map(([key, part]) => [
        key,
        internal.has(key) ? part : hinted(part, [...path, key]),
      ]),
    );
  const hint = isLeaf(schema) ? hintOf(path) : undefined;
  return {
    ...schema,
    ...(hint?.examples && { examples: hint.examples }),
    ...(hint?.snippets && { defaultSnippets: hint.snippets }),
    ...(schema.properties && { properties: inside(schema.properties) }),
    ...(isRecord(schema.additionalProperties) && {
      additionalProperties: hinted(schema.additionalProperties, [...path, '*']),
    }),
    ...(isRecord(schema.items) && { items: hintedItems(schema.items, hint) }),
  };
}

function hintedItems(items, hint) {
  return items.$ref !== undefined || items.enum !== undefined || hint?.entry === undefined
    ? items
    : { ...items, examples: [hint.entry] };
}

function hintOf(path) {
  const [holder, key] = path.slice(-2);
  return hints[`${holder}.${key}`] ?? hints[path.at(-1)];
}

/** Not a reference, an enumeration, a boolean, or a mapping: the keys inside a mapping have hints. */
function isLeaf({ $ref, enum: values, const: value, type }) {
  if ($ref !== undefined || values !== undefined || value !== undefined) return false;
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  return types.length > 1 || ['string', 'number', 'integer', 'array'].includes(types[0]);
}

function isRecord(value) {
  return typeof value === 'object' && value !== null;
}
