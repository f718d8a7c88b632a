/** A rule of a SARIF log: what a result is an instance of. */
export interface SarifRule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly help: { readonly text: string };
}

const changeRules: Readonly<Record<string, { readonly short: string; readonly help: string }>> = {
  'change-create': {
    short: 'A declared resource does not exist.',
    help: 'Apply creates it. If it shall not exist, remove it from the files.',
  },
  'change-update': {
    short: 'A resource differs from its declaration.',
    help: 'Apply sets what the files say. If the live value is the right one, write it into the files.',
  },
  'change-delete': {
    short: 'A resource exists that shall not.',
    help: 'Apply deletes it, or takes the access away. If it shall stay, declare it.',
  },
  undeclared: {
    short: 'A live workspace in the scope is declared by no file.',
    help: 'Declare it, narrow the scope, or let `prune` delete it.',
  },
};

/** Whatever is no change is a diagnostic, and its code says in short what it is about. */
export function sarifRule(id: string): SarifRule {
  const { short, help } = changeRules[id] ?? {
    short: `Diagnostic: ${id.replaceAll('-', ' ')}.`,
    help: `What it means and what to do stands in docs/diagnostics.md of Attune, under ${id}.`,
  };
  return { id, shortDescription: { text: short }, help: { text: help } };
}
