import type { Diagnostic } from '../model/diagnostic.ts';

/** Collects what an import leaves out. Each reason is told once, at the first resource that it concerns. */
export interface Notices {
  add(address: string, reason: string, hint?: string): void;
  diagnostics(): Diagnostic[];
}

export function createNotices(): Notices {
  const reasons = new Map<string, { readonly addresses: Set<string>; readonly hint: string | undefined }>();
  return {
    add(address, reason, hint) {
      const known = reasons.get(reason) ?? { addresses: new Set(), hint };
      known.addresses.add(address);
      reasons.set(reason, known);
    },
    diagnostics: () =>
      [...reasons].map(([reason, { addresses, hint }]): Diagnostic => {
        const [first = '', ...others] = [...addresses].sort();
        const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
        return {
          severity: 'note',
          code: 'left-out',
          message: `${first}: ${reason}${more}`,
          address: first,
          ...(hint !== undefined && { hint }),
        };
      }),
  };
}
