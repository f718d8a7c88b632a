import {
  attributePaths,
  isAttributePath,
  isRelation,
  listPaths,
  nestedAttributes,
  workspaceAttributes,
} from '../../model/attributes.ts';
import type { SourceLocation } from '../../model/diagnostic.ts';
import type { Rollout } from '../../model/hold.ts';
import { declaredTwice } from '../declarations.ts';
import { locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import { type ReadContext, readSelector } from '../references.ts';
import type { RawRollout } from '../schema/language.ts';
import { quote, suggestion } from '../text.ts';

/** A rollout; undefined if it has errors, which are reported. */
export function readRollout(raw: RawRollout, context: ReadContext): Rollout | undefined {
  const { loading } = context;
  const { id, fields, waves, healthy } = raw;
  const known = fields?.filter((field, index) =>
    checkRolledOut(field, locateValue(loading.origins, fields, index), loading),
  );
  const read = waves?.flatMap((wave, index): Rollout['waves'] => {
    if (wave !== 'rest') return typeof wave === 'string' ? [] : [readSelector(wave, context)];
    if (index < waves.length - 1)
      loading.problems.add({
        code: 'bad-value',
        message: '"rest" is not the last wave: it has every workspace of no other wave',
        hint: 'move it to the end',
        location: locateValue(loading.origins, waves, index),
      });
    return ['rest'];
  });
  if (id === undefined || known === undefined || read === undefined) return undefined;
  return {
    id,
    fields: known,
    waves: read,
    ...(healthy && { healthy }),
    location: locateValue(loading.origins, raw, 'id'),
  };
}

/** Only a single value shows whether a workspace has what is declared. */
function checkRolledOut(field: string, location: SourceLocation, { problems }: Loading): boolean {
  const isSingle = isAttributePath(field) && !listPaths.has(field) && !workspaceAttributes[field].createOnly;
  if (isSingle) return true;
  const single = attributePaths.filter(
    (path) => !listPaths.has(path) && !workspaceAttributes[path].createOnly,
  );
  const why = listPaths.has(field)
    ? 'it is a list'
    : isRelation(field)
      ? 'it is not an attribute of the workspace'
      : nestedAttributes.some((name) => name === field)
        ? 'it has several values'
        : isAttributePath(field)
          ? 'it is set on create only'
          : 'a workspace has no such attribute';
  problems.add({
    code: 'bad-value',
    message: `a rollout of ${quote(field)} is not possible: ${why}`,
    hint: () =>
      suggestion(field, single) ?? 'name attributes with one value, such as iac-version or vcs-repo.branch',
    location,
  });
  return false;
}

/** Reports rollouts with the same id. */
export function checkRolloutIds(
  rollouts: readonly Rollout[],
  { loading }: Pick<ReadContext, 'loading'>,
): void {
  const known = new Map<string, SourceLocation>();
  for (const { id, location } of rollouts) {
    const other = known.get(id);
    if (other)
      for (const problem of declaredTwice(`the rollout ${quote(id)}`, other, location))
        loading.problems.add(problem);
    known.set(id, location);
  }
}
