import type { Report } from '../report/report.ts';
import type { Status } from './status.ts';

/**
 * The page of the latest report. It is rendered when it is first requested after a cycle, and then kept: a large one takes
 * more than a second, in which the process does nothing else.
 */
export function latestPage(
  { report }: Pick<Status, 'report'>,
  render: (report: Report) => Promise<string>,
): () => Promise<Buffer | undefined> {
  let kept: { readonly report: Report; readonly page: Promise<Buffer> } | undefined;
  return async () => {
    const latest = report();
    if (latest === undefined) return undefined;
    if (kept?.report !== latest)
      kept = { report: latest, page: render(latest).then((page) => Buffer.from(page)) };
    return kept.page;
  };
}
