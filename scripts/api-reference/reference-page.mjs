import { ApiItemKind, ExcerptTokenKind } from '@microsoft/api-extractor-model';
import { cell, cellText, docText, nameText } from './doc-text.mjs';
import { blocksOf, groupedItems, methodsOf, propertiesOf } from './public-items.mjs';

/**
 * The page of an entry point, as Markdown. The same API gives the same bytes.
 *
 * @param elsewhere the page of the main entry point with its names, for links from the others
 */
export function referencePage({ name }, entryPoint, elsewhere) {
  const groups = groupedItems(entryPoint);
  const anchors = anchorsOf(
    groups.flatMap(({ items }) => items),
    elsewhere,
  );
  const contents = groups.map(({ title, items }) => {
    const names = items.map(({ displayName }) => nameText(displayName, anchors)).join(', ');
    return title ? `- ${title}: ${names}` : `- ${names}`;
  });
  const sections = groups.flatMap(({ items }) => items.map((item) => itemSection(item, anchors)));
  const head = [
    `# ${name}`,
    `<!-- Made by \`npm run docs\` from the comments in src/. -->`,
    `\`import { … } from '${name}'\`. [What the examples start from](README.md).`,
  ];
  return `${[...head, contents.join('\n'), ...sections].join('\n\n')}\n`.replaceAll(/\n{3,}/g, '\n\n');
}

/** The anchor of each name. Headings that differ only in case are numbered from the second on, like on GitHub. */
function anchorsOf(items, elsewhere) {
  const slugOf = (name) => name.toLowerCase().replaceAll('.', '');
  const others = [...(elsewhere?.names ?? [])].map((name) => [name, `${elsewhere.page}#${slugOf(name)}`]);
  const used = new Map();
  const own = items
    .flatMap((item) => [
      item.displayName,
      ...methodsOf(item).map((method) => `${item.displayName}.${method.displayName}`),
    ])
    .map((name) => {
      const count = used.get(slugOf(name)) ?? 0;
      used.set(slugOf(name), count + 1);
      return [name, count === 0 ? `#${slugOf(name)}` : `#${slugOf(name)}-${count}`];
    });
  return new Map([...others, ...own]);
}

function itemSection(item, anchors) {
  const methods = methodsOf(item).map((method) => methodSection(item, method, anchors));
  return [
    `## ${item.displayName}`,
    ...commentParts(item, signature(item), anchors),
    propertyTable(item, anchors),
    ...methods,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function methodSection(item, method, anchors) {
  return [
    `### ${item.displayName}.${method.displayName}`,
    ...commentParts(method, method.excerpt.text, anchors),
  ].join('\n\n');
}

/** Summary, signature, parameters, what it throws and its examples. */
function commentParts(item, code, anchors) {
  const comment = item.tsdocComment;
  const text = (node) => docText(node, anchors).trim();
  const parameters = (comment?.params.blocks ?? []).map(
    ({ parameterName, content }) => `- \`${parameterName}\`: ${text(content)}`,
  );
  const returned = text(comment?.returnsBlock?.content);
  const thrown = blocksOf(item, '@throws').map((block) => `- Throws ${text(block)}`);
  return [
    text(comment?.summarySection),
    text(comment?.remarksBlock?.content),
    code && `\`\`\`ts\n${code.trim()}\n\`\`\``,
    [...parameters, ...(returned ? [`- Returns ${returned}`] : []), ...thrown].join('\n'),
    ...blocksOf(item, '@example').map(text),
  ].filter(Boolean);
}

function signature(item) {
  const code = item.excerpt.text.replaceAll(/^export (declare )?/g, '');
  const maker = item.members.find(({ kind }) => kind === ApiItemKind.Constructor);
  if (maker) return `${code.trim()} {\n  ${maker.excerpt.text}\n}`;
  // `interface Name` would repeat the heading.
  return item.kind === ApiItemKind.Interface && !code.includes(' extends ') ? '' : code;
}

function propertyTable(item, anchors) {
  const properties = propertiesOf(item);
  if (properties.length === 0) return '';
  const rows = properties.map((property) => {
    const optional = property.isOptional ? '?' : '';
    const comment = property.tsdocComment;
    const [fallback] = blocksOf(property, '@default');
    const description = [
      comment?.deprecatedBlock ? `Deprecated: ${cellText(comment.deprecatedBlock.content, anchors)}` : '',
      cellText(comment?.summarySection, anchors),
      fallback ? `Default: ${defaultText(fallback, anchors)}.` : '',
    ];
    const type = typeText(property.propertyTypeExcerpt, anchors);
    return `| \`${property.displayName}${optional}\` | ${type} | ${description.filter(Boolean).join(' ')} |`;
  });
  return ['| member | type | |', '|---|---|---|', ...rows.map((row) => row.replaceAll(/ +\|$/g, ' |'))].join(
    '\n',
  );
}

/** A value is code, an explanation is prose. */
function defaultText(block, anchors) {
  const text = cellText(block, anchors);
  return /^('.*'|\d+|true|false|\[\])$/.test(text) ? `\`${text}\`` : text;
}

/** A type in code, with links for documented names. */
function typeText(excerpt, anchors) {
  const pieces = excerpt.spannedTokens.map(({ kind, text }) =>
    kind === ExcerptTokenKind.Reference && anchors.has(text)
      ? nameText(text, anchors)
      : text
          .split(/(?<=\n)/)
          .map((line) => codeSpan(line.replaceAll(/\s+/g, ' ')))
          .join(''),
  );
  return cell(pieces.join('')).replaceAll('``', '');
}

/** Spaces at its ends belong to the text around it: a code span would lose them. */
function codeSpan(text) {
  const [, before = '', code = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return code === '' ? before || after : `${before}\`${code}\`${after}`;
}
