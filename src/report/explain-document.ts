import type { AddressExplanation, ExplainedField } from '../desired/explain.ts';
import type { HoldExplanation } from '../desired/holds/explain-holds.ts';

/** The document of `explain --format json`, `attune.explain/1`. */
export function explainDocument(
  organization: string,
  explanation: AddressExplanation & HoldExplanation,
): Record<string, unknown> {
  const { address, location, fields, usedBy, role, selected, when, ends, holds } = explanation;
  return {
    format: 'attune.explain/1',
    organization,
    address,
    location,
    extends: explanation.extends,
    ...(selected && { selected }),
    ...(when !== undefined && { when }),
    ...(role && { role }),
    fields: fields.map(fieldDocument),
    ...(ends && { ends }),
    ...(holds.length > 0 && { holds }),
    ...(usedBy && { usedBy }),
  };
}

function fieldDocument({ entries, ...field }: ExplainedField): Record<string, unknown> {
  return {
    ...field,
    entries: entries.map(({ isEffective, ...entry }) => ({ ...entry, effective: isEffective })),
  };
}
