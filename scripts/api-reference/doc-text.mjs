import { DocNodeKind } from '@microsoft/tsdoc';

/**
 * Turns a comment into Markdown. Links lead to a heading of the page where the page has what they name.
 *
 * @param node a node of a comment
 * @param anchors the heading that documents each name, on this page or another
 */
export function docText(node, anchors) {
  if (node === undefined) return '';
  switch (node.kind) {
    case DocNodeKind.PlainText:
      return node.text.replaceAll('<', '&lt;');
    case DocNodeKind.EscapedText:
      return node.decodedText;
    case DocNodeKind.CodeSpan:
      return `\`${node.code}\``;
    case DocNodeKind.FencedCode:
      return `\n\`\`\`${node.language}\n${node.code.trimEnd()}\n\`\`\`\n`;
    case DocNodeKind.SoftBreak:
      return '\n';
    case DocNodeKind.Paragraph:
      return `${children(node, anchors).trim()}\n\n`;
    case DocNodeKind.LinkTag:
      return link(node, anchors);
    default:
      return children(node, anchors);
  }
}

/** The same on one line, as a cell of a table takes it. */
export function cellText(node, anchors) {
  return cell(
    docText(node, anchors)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' '),
  );
}

export function cell(text) {
  return text.replaceAll('|', '\\|');
}

/** A name as code, with a link if it is documented. */
export function nameText(name, anchors) {
  const target = anchors.get(name);
  return target ? `[\`${name}\`](${target})` : `\`${name}\``;
}

function link({ codeDestination, urlDestination, linkText }, anchors) {
  if (urlDestination) return `[${linkText ?? urlDestination}](${urlDestination})`;
  const name = codeDestination.memberReferences
    .map(({ memberIdentifier }) => memberIdentifier.identifier)
    .join('.');
  return nameText(name, anchors);
}

function children(node, anchors) {
  return node
    .getChildNodes()
    .map((child) => docText(child, anchors))
    .join('');
}
