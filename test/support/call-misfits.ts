import { callMisfit } from '../../src/apply/check-calls.ts';
import { sameAttribute } from '../../src/diff/fields.ts';
import { destroyTime, modeFlag, referencePaths } from '../../src/model/attributes.ts';
import { isPermissionPath } from '../../src/model/permissions.ts';
import { type Plan, type PlannedChange, sentChanges } from '../../src/model/plan.ts';
import { sameValue } from '../../src/model/value.ts';
import { isLocked } from '../../src/relations/relations.ts';
import { bodyOf, writtenBy } from '../../src/service/call-codec.ts';

/** Where calls of a plan do not write what the fields of their changes show. */
export function callMisfits(plan: Plan): string[] {
  return sentChanges(plan.changes).flatMap((change) =>
    changeMisfits(change, plan).map((why) => `${change.address}: ${why}`),
  );
}

function changeMisfits(change: PlannedChange, { organization, dialect }: Plan): string[] {
  const { action, id, calls, fields } = change;
  const owner = { ...change, id: action === 'create' ? undefined : (id ?? '') };
  const written = new Set<string>();
  const found = calls.flatMap((call) => {
    const misfit = callMisfit(call, owner, organization);
    if (misfit !== undefined) return [misfit];
    const sent = writtenBy(call, dialect);
    const { values, tags, consumers, bindings } = sent;
    const lists = { tags, 'remote-state-consumers': consumers, 'tag-bindings': bindings };
    const paths = Object.entries(lists).flatMap(([path, list]) => (list ? [path] : []));
    for (const path of [...Object.keys(values), ...paths]) written.add(path);
    const unshown = Object.entries(values)
      .filter(([path, value]) => action !== 'delete' && !isShown(change, path, value))
      .map(([path]) => path);
    const hidden = [...unshown, ...paths.filter((path) => !fields.some((field) => field.path === path))];
    const isWhole = sameValue(call.body, bodyOf(call.operation, sent, { dialect, id }));
    return [
      ...hidden.map((path) => `${call.method} ${call.path} writes ${path}, which is not shown`),
      ...(isWhole ? [] : [`the body of ${call.method} ${call.path} contains more than its fields`]),
    ];
  });
  const missing = fields.filter(
    ({ path, after }) =>
      !(action === 'delete' || written.has(path)) &&
      // A mode that is sent makes its own flag true.
      !(path === modeFlag && after === true && written.has('execution-mode')) &&
      // Another mode than `agent` removes the pool, and the service refuses one beside it.
      !(path === 'agent-pool-id' && after === null && written.has('execution-mode')) &&
      !(action === 'create' && Array.isArray(after) && after.length === 0),
  );
  return [...found, ...missing.map(({ path }) => `no call writes ${path}`)];
}

/** A value is shown by its field, or is live and sent together with a shown one. */
function isShown(
  { name, fields, facts = {} }: PlannedChange,
  path: string,
  value: PlannedChange['fields'][number]['after'],
): boolean {
  const field = fields.find((one) => one.path === path);
  if (path === 'lock') return field?.after === isLocked(value);
  if (field) return referencePaths[path] !== undefined || sameAttribute(path, value, field.after);
  if (facts[path] !== undefined) return sameAttribute(path, value, facts[path]);
  return path === destroyTime || isPermissionPath(path) || (path === 'name' && value === name);
}
