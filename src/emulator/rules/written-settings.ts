import { executionModes, projectAttributes } from '../../model/attribute-table.ts';
import { isRecord, type Value } from '../../model/value.ts';
import { words } from '../documents/answered-resource.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';

/** A plain attribute that is stored as it is written. */
interface SettingSpec {
  readonly default: Value;
  readonly type: 'string' | 'boolean' | 'number' | 'strings';
  readonly nullable?: boolean;
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  /** A secret, which responses omit. */
  readonly writeOnly?: true;
}
type Settings = Readonly<Record<string, Value>>;

/** The settings in a request, by their table. Other attributes are ignored. */
export function readWrittenSettings(
  table: Readonly<Record<string, SettingSpec>>,
  attributes: Readonly<Record<string, unknown>>,
  errors: ErrorObject[],
): Settings {
  const settings: Record<string, Value> = {};
  for (const [name, spec] of Object.entries(table)) {
    const hyphenated = attributes[name];
    const value = hyphenated === undefined ? attributes[name.replaceAll('-', '_')] : hyphenated;
    if (value === undefined) continue;
    if (value === null) {
      if (spec.nullable) settings[name] = null;
      continue;
    }
    const problem = problemOf(name, spec, value);
    if (problem) errors.push(invalid(`/data/attributes/${name}`, problem));
    else if (!spec.writeOnly) settings[name] = value as Value;
  }
  return settings;
}

/** Every setting that responses contain, with its default if it was never written. */
export function shownSettings(
  table: Readonly<Record<string, SettingSpec>>,
  stored: Settings | undefined,
): Settings {
  const shown = Object.entries(table).filter(([, spec]) => !spec.writeOnly);
  return Object.fromEntries(shown.map(([name, spec]) => [name, stored?.[name] ?? spec.default]));
}

function problemOf(name: string, { type, values, pattern }: SettingSpec, value: unknown): string | undefined {
  if (isRecord(value) || typeof value !== type) return `must be a ${type}`;
  if (pattern?.test(String(value)) === false)
    return `${name.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase())} has an incorrect format`;
  return values && !values.includes(String(value)) ? `must be one of ${values.join(', ')}` : undefined;
}

const text = { default: null, type: 'string', nullable: true } as const;
const flag = (byDefault: boolean) => ({ default: byDefault, type: 'boolean' }) as const;
const count = { default: null, type: 'number', nullable: true } as const;

/** The settings of an organization. */
export const organizationSettings = {
  email: { default: '', type: 'string' },
  'session-timeout': count,
  'session-remember': count,
  'collaborator-auth-policy': {
    default: 'password',
    type: 'string',
    values: ['password', 'two_factor_mandatory'],
  },
  'cost-estimation-enabled': flag(false),
  'send-passing-statuses-for-untriggered-speculative-plans': flag(false),
  'aggregated-commit-status-enabled': flag(true),
  'speculative-plan-management-enabled': flag(true),
  'saml-enabled': flag(false),
  'owners-team-saml-role-id': text,
  'two-factor-conformant': flag(false),
  'user-tokens-enabled': flag(true),
  'stacks-enabled': flag(false),
  'stacks-default-execution-mode': { default: 'remote', type: 'string', values: ['remote', 'agent'] },
  'recoverable-items-enabled': flag(false),
  'enforce-hyok': flag(false),
  'max-ttl-enabled': flag(false),
  'default-execution-mode': { default: 'remote', type: 'string', values: executionModes },
  'allow-force-delete-workspaces': flag(false),
  'assessments-enforced': flag(false),
} as const satisfies Record<string, SettingSpec>;

/** What projects have beside a name and the defaults of execution, which have separate rules. */
export const projectSettings: Readonly<Record<string, SettingSpec>> = Object.fromEntries(
  Object.entries(projectAttributes).filter(([path, { coupling }]) => path !== 'name' && !coupling),
);

export const writtenExecution = {
  'default-execution-mode': { default: 'remote', type: 'string', values: executionModes },
  'default-agent-pool-id': text,
} as const satisfies Record<string, SettingSpec>;

export const teamSettings = {
  description: text,
  'sso-team-id': text,
  'allow-member-token-management': flag(true),
} as const satisfies Record<string, SettingSpec>;

/** A team's permissions in the organization, each on or off. */
export const organizationAccess = words(`
  manage-policies manage-workspaces manage-vcs-settings manage-policy-overrides
  delegate-policy-overrides manage-modules manage-providers manage-run-tasks manage-projects
  manage-membership manage-teams manage-organization-access access-secret-teams read-projects
  read-workspaces manage-agent-pools
`);

export const connectionSettings = {
  'http-url': text,
  'api-url': text,
  key: text,
  'rsa-public-key': text,
  'ado-entra-tenant-id': text,
  secret: { ...text, writeOnly: true },
  'private-key': { ...text, writeOnly: true },
  'oauth-token-string': { ...text, writeOnly: true },
} as const satisfies Record<string, SettingSpec>;
