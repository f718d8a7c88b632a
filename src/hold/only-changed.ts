import { declaredByBase, sameDeclaration } from '../diff/base.ts';
import { isRepositoryPath, isUnder } from '../model/attributes.ts';
import { type Change, fieldsTogether } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Resource } from '../model/state.ts';
import { counted } from '../model/text.ts';
import type { Filtered, FilterInput, Keep } from './keep-live.ts';

/**
 * For `--only-changed`: everything whose cause is drift, and what the base declares alike. What the service changes
 * together with a changed field stays, too. What both declare and does not exist stays gone, with a note.
 */
export function declaredAlike({
  configuration,
  found,
}: Pick<FilterInput, 'configuration' | 'found'>): Filtered {
  const { desired, base } = configuration;
  if (!base?.onlyChanged || base.declared === undefined) return { keeps: [] };
  const before = declaredByBase(base.declared);
  const changes = new Map(found.changes.map((change) => [change.address, change]));
  const gone: Resource[] = [];
  const keeps = [...desired.resources.values()].flatMap((resource): Keep[] => {
    const was = before.counterpart(resource);
    const change = changes.get(resource.address);
    const isOther = was?.declared?.absent !== resource.declared?.absent || change?.cause === 'change';
    if (was === undefined || isOther) return [];
    if (change?.action === 'create') gone.push(resource);
    return [{ address: resource.address, fields: fieldsAlike(resource, was, change) }];
  });
  return { keeps, diagnostics: notCreated(gone) };
}

/** Undefined for all of the resource. */
function fieldsAlike(
  resource: Resource,
  was: Resource,
  change: Change | undefined,
): readonly string[] | undefined {
  const { kind, attributes } = resource;
  const fields = change?.action === 'update' ? change.fields : [];
  const changed = fields.filter(({ cause }) => cause === 'change').map(({ path }) => path);
  if (change?.action !== 'update' && change !== undefined) return undefined;
  const isTogether = (path: string, other: string) =>
    fieldsTogether[kind](other).includes(path) ||
    fieldsTogether[kind](path).includes(other) ||
    (other === 'vcs-repo.identifier' && isRepositoryPath(path));
  const stays = (path: string) => changed.some((other) => path === other || isTogether(path, other));
  const alike = Object.keys(attributes).filter((path) =>
    sameDeclaration(path, attributes[path], was.attributes[path]),
  );
  // A grant is found by its project and team, and its level decides which permissions it has.
  const declared = kind === 'team-access' ? [] : alike;
  return [...declared, ...fields.map(({ path }) => path)].filter((path) => !stays(path));
}

/** For a saved plan of `--only-changed` that is made again: what it does not contain. The base may not exist any more. */
export function notReviewed(
  { changes }: Pick<Plan, 'changes'>,
  { desired }: Pick<Configuration, 'desired'>,
): Filtered {
  const keeps = changes.flatMap(({ address, action, fields }) => {
    const resource = desired.resources.get(address);
    if (resource === undefined || action !== 'update') return [];
    const isPlanned = (path: string) => fields.some((field) => isUnder(path, field.path));
    const others = Object.keys(resource.attributes).filter((path) => !isPlanned(path));
    return [{ address, fields: isPlanned('name') ? others : [...others, 'name'] }];
  });
  return { keeps };
}

/** One note, at the first resource, for all that is not created because the base declares it, too. */
function notCreated([first, ...others]: readonly Resource[]): Diagnostic[] {
  if (!first) return [];
  const more = others.length > 0 ? ` (and ${counted(others.length, 'more resource')})` : '';
  return [
    note(
      'not-created',
      `${first.address}${more} does not exist and is not created: the base declares it, too`,
      { at: first, hint: 'plan without --only-changed to create it' },
    ),
  ];
}
