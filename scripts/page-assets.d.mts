/** The module that src/report/html/page-assets.d.ts declares, as JavaScript. */
export function pageAssetsCode(): string;
