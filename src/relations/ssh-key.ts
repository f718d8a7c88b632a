import type { Relation } from './relation.ts';

/** The SSH key, by id (interface, section 4.4). */
export const sshKey = { shown: (value = null) => value } as const satisfies Relation;
