import { type ErrorObject, invalid } from '../http/rejection.ts';
import type { InputResource } from './documents.ts';

export interface ConsumerInput {
  /** The workspace whose state is read. */
  readonly workspace: string;
  readonly items: readonly InputResource[];
  /** Whether the caller can read a workspace of the same organization by that id. */
  readonly isReadable: (id: string) => boolean;
}

/** The ids that a consumer body names, by the rules of section 4.5, and what breaks one. */
export function readConsumers(input: ConsumerInput): {
  readonly ids: readonly string[];
  readonly errors: ErrorObject[];
} {
  const errors: ErrorObject[] = [];
  const ids = new Set<string>();
  for (const [index, { type, id }] of input.items.entries()) {
    const pointer = `/data/${index}`;
    if (type !== 'workspaces') errors.push(invalid(`${pointer}/type`, 'must be workspaces'));
    else if (typeof id !== 'string') errors.push(invalid(`${pointer}/id`, 'must be the id of a workspace'));
    else if (id === input.workspace)
      errors.push(invalid(`${pointer}/id`, 'A workspace cannot be its own consumer'));
    else if (!input.isReadable(id))
      errors.push(invalid(`${pointer}/id`, `Workspace ${id} does not exist or cannot be read`));
    else ids.add(id);
  }
  return { ids: [...ids], errors };
}
