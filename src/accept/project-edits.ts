import type { ProjectChange } from '../model/change.ts';
import { type AcceptContext, type Accepting, chosenFields } from './acceptance.ts';

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
  const alias = address.slice('project.'.length);
  return {
    address,
    fields: fields.map(({ path, before, after }) => ({ path, before: after, after: before })),
    candidates: [
      fields.map(({ path, before }) => ({
        file: location.file,
        path: ['projects', alias, path],
        value: before,
      })),
    ],
  };
}
