import { access } from './access.ts';
import { attention, diagnostics } from './attention.ts';
import { changes } from './changes.ts';
import { sentences } from './elements.ts';
import type { Html } from './escape.ts';
import type { ProjectNumbers } from './filter-form.ts';
import type { PageEntry } from './page-entry.ts';
import { sharing } from './sharing.ts';

interface PageSection {
  readonly id: string;
  readonly name: string;
  readonly content: Html;
}

/** The sections of one root file; without filters and what it has read if those of the page are about all. */
export function pageSections(entry: PageEntry, shared?: ProjectNumbers): readonly PageSection[] {
  const { wording, prefix, sections } = entry;
  const risks = sections.flatMap(({ name, items }) => (name === 'attention' ? items : []));
  const listed = sections.filter(({ name }) => name === 'held' || name === 'effects');
  const parts = [
    { id: 'attention', name: 'Needs attention', content: attention(risks, [entry], `${prefix}-attention`) },
    { id: 'diagnostics', name: 'Diagnostics', content: diagnostics(entry) },
    { id: 'changes', name: wording.changes, content: changes(entry, shared) },
    ...listed.map((one) => {
      const name = one.name === 'held' ? 'Held' : 'Effects';
      return { id: one.name, name, content: sentences(entry, one) };
    }),
    { id: 'sharing', name: 'State sharing', content: sharing(entry) },
    { id: 'access', name: 'Team access', content: access(entry) },
  ];
  return parts.flatMap(({ content, ...part }) => (content ? { ...part, content } : []));
}
