import { filtersScript } from './filters.ts';
import { pictureScript } from './picture.ts';
import { pictureViewScript } from './picture-view.ts';
import { printScript } from './print.ts';

/**
 * The one script of the page; the policy allows it by its hash.
 *
 * It is text, not a function turned into text: the page must have the same bytes whatever compiled this program. It
 * only reads what the markup says and writes text and classes, so that nothing in a report can become markup.
 */
export const script: string = `(() => {
'use strict';
${filtersScript}
${pictureViewScript}
${pictureScript}
${printScript}
})();
`;
