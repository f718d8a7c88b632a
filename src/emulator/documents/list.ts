import type { Answer } from '../http/answer.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { type Page, readPage } from '../rules/page.ts';

/**
 * A list in pages (interface, section 2.5). Items are rendered only for the page that is asked for.
 *
 * @param extra further top-level members, by the items of the page
 */
export function pageOf<Item>(
  request: ServiceRequest,
  items: readonly Item[],
  render: (item: Item) => string,
  extra: (shown: readonly Item[]) => string = () => '',
): Answer {
  const page = readPage(request.query);
  const shown = items.slice((page.number - 1) * page.size, page.number * page.size);
  const { links, meta } = envelope(request, page, items.length);
  const data = shown.map(render).join(',');
  const tail = `"links":${JSON.stringify(links)},"meta":${JSON.stringify(meta)}`;
  return { status: 200, body: `{"data":[${data}],${extra(shown)}${tail}}` };
}

function envelope(request: ServiceRequest, page: Page, count: number) {
  // An empty list still has a first page, so that `last` leads somewhere.
  const pages = Math.max(1, Math.ceil(count / page.size));
  const next = page.number < pages ? page.number + 1 : null;
  const previous = page.number > 1 ? Math.min(page.number - 1, pages) : null;
  const link = (number: number | null) => (number === null ? null : pageLink(request, number, page.size));
  return {
    links: {
      self: link(page.number),
      first: link(1),
      prev: link(previous),
      next: link(next),
      last: link(pages),
    },
    meta: {
      pagination: {
        'current-page': page.number,
        'page-size': page.size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': count,
      },
    },
  };
}

function pageLink(request: ServiceRequest, number: number, size: number): string {
  const query = new URLSearchParams(request.query);
  query.set('page[number]', String(number));
  query.set('page[size]', String(size));
  return `${request.origin}${request.pathname}?${query}`;
}
