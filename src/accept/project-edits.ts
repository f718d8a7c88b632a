import type { FieldChange, ProjectChange } from '../model/change.ts';
import { asBindingRule } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';
import { type AcceptContext, type Accepting, chosenFields } from './acceptance.ts';
import { hasPath } from './edit-yaml.ts';
import { bindingCandidates, bindingsOf } from './own-bindings.ts';

/** The edits that make a managed project as it is live; undefined if none of its fields is chosen. */
export function projectEdits(change: ProjectChange, context: AcceptContext): Accepting | undefined {
  const { address, action, location } = change;
  if (action !== 'update' || location === undefined) {
    if (!context.chosen(address, '')) return undefined;
    return {
      address,
      reason: action === 'create' ? 'the project does not exist' : 'the project exists',
      hint: 'change its declaration under projects, or run `attune apply`',
    };
  }
  const fields = chosenFields(change, context);
  if (fields.length === 0) return undefined;
  const values = fields.map((field) =>
    field.path === 'tag-bindings' ? bindingsFor(field, change, context) : [field.before],
  );
  const rounds = Math.max(...values.map(({ length }) => length));
  return {
    address,
    fields: fields.map(({ path, before, after, add, remove }) => ({
      path,
      before: after,
      after: before,
      ...(add && remove && { add: remove, remove: add }),
    })),
    candidates: Array.from({ length: rounds }, (_, round) =>
      fields.map(({ path }, index) => ({
        file: location.file,
        path: ['projects', change.name, path],
        value: values[index]?.[Math.min(round, values[index].length - 1)],
      })),
    ),
  };
}

/** What the file can declare for key/value tags, in the form that it has. */
function bindingsFor(
  field: FieldChange,
  { address, name, location }: ProjectChange,
  { configuration, texts }: AcceptContext,
): readonly (Value | undefined)[] {
  const rule = asBindingRule(configuration.desired.resources.get(address)?.attributes[field.path]);
  const text = texts.get(location?.file ?? '') ?? '';
  const isPlain = rule && 'exactly' in rule && !hasPath(text, ['projects', name, field.path, 'exactly']);
  const own = isPlain ? { ...rule.exactly } : rule;
  return bindingCandidates({ own: own as Value | undefined, ...bindingsOf(field) });
}
