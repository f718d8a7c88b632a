import { ApiItemKind } from '@microsoft/api-extractor-model';

/** How the kinds follow each other on a page: what is called first, then what it takes and returns. */
const kinds = [
  ApiItemKind.Function,
  ApiItemKind.Class,
  ApiItemKind.Interface,
  ApiItemKind.TypeAlias,
  ApiItemKind.Variable,
];

/** What belongs together, by the folder of `dist` that it comes from; the first that fits. */
const groups = [
  ['desired/', 'Configurations'],
  ['model/configuration', 'Configurations'],
  ['model/fields', 'Configurations'],
  ['live/', 'Live state'],
  ['diff/', 'Differences'],
  ['resolve/', 'Plans'],
  ['plan/', 'Plans'],
  ['access/', 'Plans'],
  ['run/make-plan', 'Plans'],
  ['apply/', 'Apply'],
  ['report/', 'Reports'],
  ['sdk/', 'Endpoints'],
  ['service/', 'The client'],
  ['model/', 'Shapes'],
];

/** The exports of an entry point in groups, each in the order of the page. */
export function groupedItems(entryPoint) {
  const byTitle = new Map();
  for (const item of [...entryPoint.members].sort(byKindAndName)) {
    const title = groups.find(([folder]) => item.fileUrlPath?.startsWith(`dist/${folder}`))?.[1] ?? '';
    byTitle.set(title, [...(byTitle.get(title) ?? []), item]);
  }
  return [...new Set(['', ...groups.map(([, title]) => title)])].flatMap((title) => {
    const items = byTitle.get(title);
    return items ? [{ title, items }] : [];
  });
}

function byKindAndName(a, b) {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.displayName < b.displayName ? -1 : 1);
}

export function methodsOf(item) {
  const isMethod = ({ kind }) => kind === ApiItemKind.MethodSignature || kind === ApiItemKind.Method;
  return item.members.filter(isMethod);
}

export function propertiesOf(item) {
  const isProperty = ({ kind }) => kind === ApiItemKind.PropertySignature || kind === ApiItemKind.Property;
  return item.members.filter(isProperty);
}

/** The blocks of a comment under a tag, as in `@throws`. */
export function blocksOf(item, tag) {
  const blocks = item.tsdocComment?.customBlocks ?? [];
  return blocks.filter(({ blockTag }) => blockTag.tagName === tag).map(({ content }) => content);
}

/** Missing documentation: an export or a method without a comment, or something that is called without an example. */
export function undocumented(entryPoint) {
  return entryPoint.members.flatMap((item) => {
    const methods = methodsOf(item);
    const shown = item.kind === ApiItemKind.Class ? [item, ...methods] : isCalled(item) ? [item] : [];
    return [
      ...(isSilent(item) ? [`${item.displayName} has no comment`] : []),
      ...methods.filter(isSilent).map((method) => `${item.displayName}.${method.displayName} has no comment`),
      ...shown
        .filter((call) => blocksOf(call, '@example').length === 0)
        .map((call) => `${item.displayName}${call === item ? '' : `.${call.displayName}`} has no @example`),
    ];
  });
}

/** An interface that users implement has its example at the function that accepts it. */
function isCalled({ displayName, kind }) {
  return kind === ApiItemKind.Function || displayName.endsWith('Endpoints');
}

function isSilent({ tsdocComment }) {
  return !tsdocComment || tsdocComment.emitAsTsdoc().replaceAll(/[/*\s]/g, '') === '';
}
