import { referencePaths } from '../model/alias-kind.ts';
import { mapSelectorProjects } from '../model/selector.ts';
import type { ConsumerRef, ListRule, Resource } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** A resource with each id, name or placeholder that it refers to replaced. */
export function mapReferences<Mapped extends Resource>(
  resource: Mapped,
  replace: (id: string) => string,
): Mapped {
  const attributes: Record<string, Value> = {};
  for (const [path, value] of Object.entries(resource.attributes)) {
    if (typeof value === 'string' && referencePaths[path] !== undefined) attributes[path] = replace(value);
    else if (path === 'remote-state-consumers') {
      attributes[path] = mapSelectors(value as ListRule<ConsumerRef & Value>, replace);
    } else attributes[path] = value;
  }
  return {
    ...resource,
    ...(resource.kind === 'project' && resource.id !== undefined && { id: replace(resource.id) }),
    attributes,
  };
}

function mapSelectors(rule: ListRule<ConsumerRef & Value>, replace: (id: string) => string): Value {
  const mapped = (items: readonly (ConsumerRef & Value)[]) =>
    items.map((item) => (typeof item === 'string' ? item : mapSelectorProjects(item, replace)));
  if ('add' in rule) return { add: mapped(rule.add), remove: mapped(rule.remove) };
  return { exactly: mapped(rule.exactly), ...(rule.except && { except: mapped(rule.except) }) };
}

/** The ids that a resource refers to. */
export function referencesOf(resource: Resource): readonly string[] {
  const found: string[] = [];
  mapReferences(resource, (id) => {
    found.push(id);
    return id;
  });
  return found;
}
