import { Document, Scalar, visit } from 'yaml';
import type { RenderedConfiguration } from '../desired/render.ts';
import { escapeControls, escapeInQuotes, needsEscapes } from './escape-controls.ts';

/**
 * An effective configuration as a root file in YAML.
 *
 * @param head lines above the configuration
 */
export function renderedYaml(document: RenderedConfiguration, head: readonly string[]): string {
  // Without aliases of YAML: equal lists of two workspaces are written twice.
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  const comments = head.map((line) => `# ${escapeControls(line)}\n`).join('');
  // Only text in double quotes can have escapes.
  visit(yaml, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && needsEscapes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = yaml.toString({ lineWidth: 0, flowCollectionPadding: false, doubleQuotedAsJSON: true });
  return `${comments}${escapeInQuotes(text, codePoint)}`;
}

function codePoint(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}
