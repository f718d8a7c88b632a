import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { ResourceKind } from '../model/state.ts';

/** What becomes of a resource that no file can declare. */
const omitted: Readonly<Record<ResourceKind, string>> = {
  project: 'the project is not managed',
  workspace: 'the workspace is left out',
  'team-access': 'the grant is left out',
};

/** Collects what an import omits. Each reason is reported once, at the first resource that it concerns. */
export interface ImportNotices {
  add(address: string, reason: string, hint?: string): void;
  /** Like `add`, for a resource that is not in the files at all. */
  omit(address: string, reason: string): void;
  diagnostics(): Diagnostic[];
  /** Number of workspaces that are not in the files. */
  omittedWorkspaces(): number;
}

export function createNotices(): ImportNotices {
  const reasons = new Map<string, { readonly addresses: Set<string>; readonly hint: string | undefined }>();
  const omittedWorkspaces = new Set<string>();
  const add: ImportNotices['add'] = (address, reason, hint) => {
    const known = reasons.get(reason) ?? { addresses: new Set(), hint };
    known.addresses.add(address);
    reasons.set(reason, known);
  };
  return {
    add,
    omit(address, reason) {
      const kind = address.slice(0, address.indexOf('.')) as ResourceKind;
      if (kind === 'workspace') omittedWorkspaces.add(address);
      add(address, `${omitted[kind]}: ${reason}`);
    },
    omittedWorkspaces: () => omittedWorkspaces.size,
    diagnostics: () =>
      [...reasons].map(([reason, { addresses, hint }]): Diagnostic => {
        const [first = '', ...others] = [...addresses].sort();
        const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
        return note('left-out', `${first}: ${reason}${more}`, { at: { address: first }, hint });
      }),
  };
}
