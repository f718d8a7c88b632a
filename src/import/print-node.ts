import { Document, type YAMLMap } from 'yaml';
import { escapeUnseen } from './yaml-nodes.ts';

/** The text of a mapping. Long text is never folded, and quoted wherever any version of YAML would take it for something else. */
export function printNode(contents: YAMLMap): string {
  const document = new Document(contents, { version: '1.2', schema: 'core', compat: 'yaml-1.1' });
  const text = document.toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    flowCollectionPadding: false,
  });
  return escapeUnseen(text);
}
