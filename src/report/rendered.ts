import { Document, isCollection, isScalar, Scalar, visit } from 'yaml';
import type { RenderedConfiguration } from '../desired/render.ts';
import type { RenderedOrigin } from '../desired/rendered-origins.ts';
import { escapeControls, escapeInQuotes, needsEscapes } from './escape-controls.ts';

export interface RenderedTextOptions {
  /** Adds the layer, file and line of each value as a comment. */
  readonly origins: boolean;
  /** The path of a file as it is shown. */
  readonly path: (file: string) => string;
  /** Lines above the configuration. */
  readonly head: readonly string[];
}

/** An effective configuration as a root file in YAML. */
export function renderedYaml(
  { document, resources }: RenderedConfiguration,
  { origins, path, head }: RenderedTextOptions,
): string {
  // Without aliases of YAML: equal lists of two workspaces are written twice.
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  const comment = ({ at, layer, location }: RenderedOrigin) => {
    const node = yaml.getIn(at, true);
    const place = location ? `  ${path(location.file)}:${location.line}` : '';
    const text = ` ${escapeControls(`${layer}${place}`).replaceAll('\n', ' ')}`;
    if (isScalar(node)) node.comment = text;
    else if (isCollection(node)) node.commentBefore = text;
  };
  for (const { fields } of origins ? resources : []) {
    for (const field of fields) {
      if (field.entries.length === 0) comment(field);
      for (const entry of field.entries) comment(entry);
    }
  }
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

/** The document of `render --origins --format json`, `attune.render/1`. */
export function renderedDocument(
  organization: string,
  { document, resources }: RenderedConfiguration,
): Record<string, unknown> {
  const origin = ({ value, layer, location }: RenderedOrigin) => ({
    value,
    layer,
    ...(location && { file: location.file, line: location.line }),
  });
  return {
    format: 'attune.render/1',
    organization,
    configuration: document,
    resources: resources.map(({ address, fields }) => ({
      address,
      fields: fields.map((field) => ({
        path: field.path,
        ...origin(field),
        ...(field.entries.length > 0 && { entries: field.entries.map(origin) }),
      })),
    })),
  };
}
