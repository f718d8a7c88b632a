import type { AttributePath } from '../../model/attributes.ts';
import type { Value } from '../../model/value.ts';

/** A workspace's own values, complete. */
export type OwnValues = Readonly<Record<AttributePath, Value>>;

/** The values that a request names. */
export type AttributeValues = Readonly<Partial<Record<AttributePath, Value>>>;
