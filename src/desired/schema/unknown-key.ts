import { workspaceAttributes, workspaceRelations } from '../../model/attributes.ts';
import { type Diagnostic, problem } from '../../model/diagnostic.ts';
import { permissions } from '../../model/permissions.ts';
import { listed, nearest, quote, suggestion } from '../../model/text.ts';
import type { Member, SchemaError } from './schema.ts';

interface SpeakingSchema {
  readonly title?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A key that the mapping does not have. The title of the schema names the mapping. */
export function unknownKey(
  error: SchemaError,
  { key: written, holder = '', section = '' }: Member,
): Diagnostic {
  const key = String(written);
  const { title = 'mapping', properties = {} } = error.parentSchema as SpeakingSchema;
  const article = /^[aeiou]/.test(title) ? 'an' : 'a';
  // A mapping instead of a list has no name but that of the list.
  const where = title === listRuleTitle ? quote(holder) : `${article} ${title}`;
  return problem('unknown-key', `unknown key ${quote(key)} in ${where}`, {
    hint: elsewhere(key, title, { holder, section }) ?? keyHint(key, title, Object.keys(properties)),
  });
}

const listRuleTitle = 'list rule';

/** Where a key belongs that is right in another place, or what manages what Attune does not. */
function elsewhere(
  key: string,
  title: string,
  { holder, section }: { readonly holder: string; readonly section: string },
): string | undefined {
  switch (title) {
    case listRuleTitle:
      return holder === 'tags'
        ? 'write a list, or a mapping with exactly, add or remove; key/value tags are under tag-bindings'
        : 'write a list, or a mapping with exactly, add or remove';
    case 'mapping of defaults':
      return isSetting(key)
        ? `write it under defaults.workspace: "workspace: {${dashed(key)}: ...}"`
        : undefined;
    case 'service mapping':
      return /token|password|secret|credential/i.test(key)
        ? 'remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file'
        : undefined;
    case 'entry of notify':
      return /url|address|webhook/i.test(key)
        ? 'remove it, and name the environment variable that contains the address: "url-env: SLACK_URL"'
        : undefined;
    case 'alias':
      return `keep "name" alone: Attune refers to ${section} that exist, and does not create or change them; Terraform or the pages of the service do`;
    case 'workspace':
      if (/^team(s|-access)$/.test(dashed(key)))
        return 'write it under team-access of the file, by project: teams have access to projects';
      break;
    default:
  }
  const kind = unmanagedKinds.find(([names]) => names.includes(dashed(key)));
  return kind && `remove it: Attune does not manage ${kind[1]}; ${kind[2]}`;
}

function dashed(key: string): string {
  return key.replaceAll('_', '-');
}

function isSetting(key: string): boolean {
  return [dashed(key), dashed(key).split('.')[0] ?? ''].some((name) => settings.has(name));
}

/** The keys of a workspace and its layers. */
const settings: ReadonlySet<string> = new Set([
  ...Object.keys(workspaceAttributes).map((path) => path.split('.')[0] ?? path),
  ...workspaceRelations,
]);

const terraform = "Terraform's tfe provider does";

/** Keys that people try, what they would declare, and what manages it. */
const unmanagedKinds: readonly (readonly [names: readonly string[], what: string, instead: string])[] = [
  [['variables', 'vars', 'env', 'environment', 'env-vars', 'terraform-variables'], 'variables', terraform],
  [['variable-sets', 'varsets'], 'variable sets', terraform],
  [['notifications', 'notification-configurations'], 'notifications of workspaces', terraform],
  [['run-triggers'], 'run triggers', terraform],
  [['run-tasks'], 'run tasks', terraform],
  [
    ['policy-sets', 'sentinel'],
    'policy sets of the service',
    `${terraform}; rules for plans are under policies`,
  ],
  [['stacks'], 'Stacks', terraform],
  [['organization-access', 'members', 'users'], 'teams and their members', terraform],
];

/** The maximum number of keys in a hint. */
const mostKeys = 6;

function keyHint(key: string, title: string, known: readonly string[]): string {
  if (title === 'included file' && nearest(key, known) === undefined)
    return `move it to the root file; an included file has ${listed(known)}`;
  if (title === 'template' && ['state', 'delete', 'renamed-from'].includes(key))
    return 'move it to a workspace';
  const neutral = neutralNames.get(dashed(key)) ?? otherNames.get(dashed(key));
  if (neutral !== undefined && known.includes(neutral)) return `write ${quote(neutral)}`;
  if (title === 'workspace' && key === 'name')
    return 'use the name as the key of the mapping; to rename the workspace, add renamed-from';
  return (
    suggestion(key, known) ?? `use one of the keys ${shortened(known)}; docs/configuration.md lists all keys`
  );
}

function shortened(known: readonly string[]): string {
  return `${known.slice(0, mostKeys).join(', ')} and ${known.length - mostKeys} more`;
}

/** Names of the `terraform` dialect, with the names in configuration files. */
const neutralNames: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...workspaceAttributes, ...permissions }).flatMap(([path, { wire }]) =>
    wire?.terraform ? [[wire.terraform, path.slice(path.indexOf('.') + 1)] as const] : [],
  ),
);

/** Names that the service, its other clients or its older versions use. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['agent-pool', 'agent-pool-id'],
  ['drift-detection', 'assessments-enabled'],
  ['project-id', 'project'],
  ['ssh-key-id', 'ssh-key'],
  ['tag-names', 'tags'],
  ['vcs', 'vcs-repo'],
]);
