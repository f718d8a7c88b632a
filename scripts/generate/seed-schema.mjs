// The published schema of seeds: what a service starts with. Where a member is repeated, its description is the same.

/** @param model what src/model/attribute-table.ts, attributes.ts and permissions.ts export, and json-schema.ts as `schema` */
export function seedSchema({ schema, ...model }) {
  const { dictionary, fixed, integer, list, mapping, nullable, reference, text } = schema;
  const {
    accessLevels,
    executionModes,
    nestedAttributeSpecs,
    nestedAttributes,
    permissionPaths,
    permissions,
    projectAttributes,
    workspaceAttributes,
    workspaceNamePattern,
  } = model;
  const flag = (description, keywords = {}) => ({ description, type: 'boolean', ...keywords });
  const choice = (description, values, keywords = {}) => ({
    description,
    enum: [...values],
    ...keywords,
  });
  const texts = (description) => list(description, { type: 'string' });

  const { name: _name, ...ofProject } = projectAttributes;

  /** Objects by name: an id, a mapping with or without one, or nothing. */
  const named = (description, keys = {}) =>
    dictionary(
      { description },
      {
        type: ['string', 'null', 'object'],
        minLength: 1,
        properties: {
          id: text('Its id; derived from the name by default.', { pattern: '^[A-Za-z0-9_-]+$' }),
          ...keys,
        },
        additionalProperties: false,
      },
    );

  /** The members of the seed for one organization. Where a member is repeated, its description is the same. */
  const organizationKeys = {
    settings: mapping(
      { description: "The organization's own settings." },
      {
        'default-execution-mode': choice('The mode of workspaces without their own.', executionModes),
        'default-agent-pool': text('The agent pool of workspaces without their own, by name or id.'),
        'default-project': text(
          'The project of workspaces that name none, by name or id; one called Default Project where it is left out.',
        ),
        'allow-force-delete': flag('Whether those who administer a workspace may force delete it.'),
        'assessments-enforced': flag(
          'Whether health assessments run, regardless of the setting of a workspace.',
        ),
        'global-remote-state': flag(
          'What global-remote-state is for a workspace that is created without it.',
        ),
        'recoverable-items-enabled': flag(
          'Whether deleted workspaces can be recovered for 7 days (terraform dialect); false where it is left out.',
          { examples: [true] },
        ),
        'iac-version': text('The newest release, which a workspace that is created without a version gets.'),
        'data-retention': { ...reference('retention'), description: 'The default policy of all workspaces.' },
      },
    ),
    projects: named('Projects by name.', {
      ...attributeKeys(ofProject),
      stacks: integer('How many Stacks it has; a project with Stacks cannot be deleted.', { minimum: 0 }),
      'tag-bindings': {
        ...reference('workspace/properties/tag-bindings'),
        description: 'Key/value tags; workspaces inherit them. Only with the terraform dialect.',
      },
    }),
    teams: named('Teams by name.', {
      secret: flag('Whether only members and owners see it.'),
      'organization-access': texts('Its permissions in the organization, such as manage-projects.'),
    }),
    'ssh-keys': named('SSH keys by name.'),
    'agent-pools': named('Agent pools by name.'),
    'vcs-connections': named("VCS connections by name; the id is the OAuth token's.", {
      client: text('The id of its OAuth client.'),
      provider: text('The kind of provider, such as github.'),
    }),
    workspaces: dictionary(
      { description: 'Workspaces by name.', propertyNames: { pattern: workspaceNamePattern.source } },
      reference('workspace'),
    ),
    'team-access': dictionary(
      { description: 'Access by project and team, each by name or id.' },
      { type: 'object', additionalProperties: reference('access') },
    ),
  };

  const token = mapping(
    { required: ['role'] },
    {
      role: choice('What the caller may do.', [
        'owner',
        'manage-workspaces',
        'workspace-admin',
        'reader',
        'none',
      ]),
      organization: text(
        'The name of the organization that the token belongs to; by default the first of the seed.',
      ),
      workspaces: texts('The workspaces that the role covers, by name or id; all where it is left out.'),
      teams: texts('The teams that the caller is in, by name or id.'),
      user: text("The id of the caller's user.", { pattern: '^user-' }),
      kind: choice(
        "Whose token it is: a user's, the first team's under teams, or the organization's.",
        ['user', 'team', 'organization'],
        { default: 'user' },
      ),
    },
  );

  const retention = {
    ...mapping(
      { description: 'A data retention policy.' },
      {
        'delete-older-than-days': integer('Deletes what is older than this many days.', { minimum: 1 }),
        'dont-delete': fixed('Never deletes anything.', true),
      },
    ),
    minProperties: 1,
    maxProperties: 1,
  };

  const workspaceKeys = {
    id: text('Its id; worked out from the name where it is left out.', { pattern: '^ws-[A-Za-z0-9_-]+$' }),
    project: text('Its project, by name or id; the default project where it is left out.'),
    tags: texts('Its flat tags.'),
    'tag-bindings': dictionary(
      { description: 'Its key-value tags, which the tagged filter finds.' },
      nullable({ type: 'string' }),
    ),
    'remote-state-consumers': texts('The workspaces that may read its state, by name or id.'),
    'ssh-key': text('Its SSH key, by name or id.'),
    locked: {
      description: 'Whether it is locked, and by whom.',
      ...mapping(
        {},
        {
          by: text('Who holds the lock: an id that starts with user-, team- or run-.'),
          reason: text('Why it is locked.'),
        },
      ),
      type: ['boolean', 'object'],
    },
    'data-retention': { ...reference('retention'), description: 'Its own data retention policy.' },
    'resource-count': integer(
      'How many resources it manages; a safe delete is refused where there are any.',
      {
        minimum: 0,
      },
    ),
    state: mapping(
      { description: 'Its latest state version.' },
      {
        id: text('The id of the current state version.', { pattern: '^sv-' }),
        'created-at': text('When it was made.'),
        intermediate: choice('Its latest intermediate state version; an unlock waits while one is pending.', [
          'none',
          'pending',
          'finalized',
        ]),
        processing: flag(
          'Whether the newest state is still being processed, which holds a safe delete back in the terraform dialect.',
        ),
        outputs: { description: 'Outputs by name.', type: 'object', additionalProperties: true },
      },
    ),
    run: mapping(
      { description: 'Its current run.' },
      {
        id: text('Its id.', { pattern: '^run-' }),
        status: text('Its status, such as applied.'),
        'created-at': text('When it was made.'),
      },
    ),
    readme: text('The text of its readme.'),
    'created-at': text('When it was made; the start of the service where it is left out.'),
  };

  function attribute(spec) {
    const part = {
      description: spec.description + (spec.reference ? ' Give a name or an id.' : ''),
      ...(spec.values ? { enum: [...spec.values] } : { type: spec.type === 'strings' ? 'array' : spec.type }),
      ...(spec.type === 'strings' && { items: { type: 'string' } }),
    };
    return spec.nullable && !spec.values ? nullable(part) : part;
  }

  function attributeKeys(rows) {
    const own = Object.entries(rows).filter(([path]) => !path.includes('.'));
    const nested = nestedAttributes.flatMap((name) => {
      const { nullable: canBeNull, description } = nestedAttributeSpecs[name];
      const inside = Object.entries(rows).filter(([path]) => path.startsWith(`${name}.`));
      if (inside.length === 0) return [];
      const keys = inside.map(([path, spec]) => [path.slice(name.length + 1), attribute(spec)]);
      const part = mapping({ description }, Object.fromEntries(keys));
      return [[name, canBeNull ? nullable(part) : part]];
    });
    return Object.fromEntries([...own.map(([path, spec]) => [path, attribute(spec)]), ...nested]);
  }

  function permissionsOf(group, description) {
    const keys = permissionPaths.flatMap((path) => {
      if (!path.startsWith(`${group}.`)) return [];
      const { description: what, values, customDefault } = permissions[path];
      return [
        [
          path.slice(group.length + 1),
          typeof customDefault === 'boolean' ? flag(what) : choice(what, values),
        ],
      ];
    });
    return mapping({ description }, Object.fromEntries(keys));
  }

  const access = {
    description: 'A level, or a mapping with the level and, for custom, permissions.',
    type: ['string', 'object'],
    if: { type: 'string' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { enum: [...accessLevels] },
    else: { required: ['access'] },
    properties: {
      access: choice('The access level.', accessLevels),
      'project-access': permissionsOf('project-access', 'Permissions on the project.'),
      'workspace-access': permissionsOf('workspace-access', 'Permissions on its workspaces.'),
    },
    additionalProperties: false,
  };

  /** References to the members of an organization, with the description of each. */
  const memberReferences = Object.fromEntries(
    Object.entries(organizationKeys).map(([key, { description }]) => [
      key,
      { ...reference(`organization/properties/${key}`), description },
    ]),
  );

  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...mapping(
      { title: 'Attune emulator seed', description: 'What the embedded service starts with.' },
      {
        organization: text("The organization's name; acme where it is left out.", { minLength: 1 }),
        organizations: dictionary(
          { description: 'Several organizations by name, in place of all other keys but tokens.' },
          reference('organization'),
        ),
        tokens: dictionary(
          { description: "Callers by their token. Without any, every token is an owner's." },
          token,
        ),
        ...memberReferences,
      },
    ),
    $defs: {
      organization: nullable(mapping({ description: 'One organization.' }, organizationKeys)),
      retention,
      workspace: nullable(
        mapping(
          {
            description: 'A workspace: any writable attribute under its neutral name, and what else it has.',
          },
          { ...workspaceKeys, ...attributeKeys(workspaceAttributes) },
        ),
      ),
      access,
    },
  };
}
