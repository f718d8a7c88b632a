/** The stylesheet of the page, from `styles/page.css`. */
export const style: string;
/** The script of the page, from `browser/page.ts`. */
export const script: string;
