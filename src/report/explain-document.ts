import type { AddressExplanation, ExplainedField } from '../desired/explain.ts';

/** The document of `explain --format json`, `attune.explain/1`. */
export function explainDocument(
  organization: string,
  explanation: AddressExplanation,
): Record<string, unknown> {
  const { address, location, fields, usedBy, role } = explanation;
  return {
    format: 'attune.explain/1',
    organization,
    address,
    location,
    extends: explanation.extends,
    ...(role && { role }),
    fields: fields.map(fieldDocument),
    ...(usedBy && { usedBy }),
  };
}

function fieldDocument({ entries, ...field }: ExplainedField): Record<string, unknown> {
  return {
    ...field,
    entries: entries.map(({ isEffective, ...entry }) => ({ ...entry, effective: isEffective })),
  };
}
