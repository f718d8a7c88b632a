import { workspaceAttributes } from '../../model/attributes.ts';
import { permissions } from '../../model/permissions.ts';
import { nearest } from '../../model/text.ts';
import type { Problem } from '../problems.ts';
import { listed, quote, suggestion } from '../text.ts';
import type { SchemaError } from './schema.ts';

interface SpeakingSchema {
  readonly title?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A key that the mapping does not have. The title of the schema names the mapping. */
export function unknownKey(error: SchemaError, key: string): Omit<Problem, 'location'> {
  const { title = 'mapping', properties = {} } = error.parentSchema as SpeakingSchema;
  const article = /^[aeiou]/.test(title) ? 'an' : 'a';
  return {
    code: 'unknown-key',
    message: `unknown key ${quote(key)} in ${article} ${title}`,
    hint: keyHint(key, title, Object.keys(properties)),
  };
}

/** The maximum number of keys in a hint. */
const mostKeys = 6;

function keyHint(key: string, title: string, known: readonly string[]): string {
  if (title === 'included file' && nearest(key, known) === undefined)
    return `move it to the root file; an included file has ${listed(known)}`;
  if (title === 'template' && ['state', 'delete', 'renamed-from'].includes(key))
    return 'move it to a workspace';
  const neutral = neutralNames.get(key) ?? otherNames.get(key);
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
