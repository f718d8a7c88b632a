import { plain } from './paint.ts';
import type { RenderOptions, Report, ReportFormat } from './report.ts';

/**
 * Renders a report; each format is loaded when it is asked for.
 *
 * @example
 * ```ts
 * const plan = await makePlan(configuration, { source: serviceSource(client), address });
 * const { diagnostics } = plan;
 * const entry = { plan, diagnostics, path: (file: string) => file };
 * const text = await renderReport({ kind: 'plan', entries: [entry] }, 'text');
 * console.log(text.trimEnd().split('\n').at(-1));
 * // Plan: 0 to create, 3 to update, 1 to delete, 0 unchanged. 4 calls. 3 need attention.
 * ```
 */
export async function renderReport(
  report: Report,
  format: ReportFormat,
  options: RenderOptions = { paint: plain },
): Promise<string> {
  switch (format) {
    case 'text':
      return (await import('./text/text.ts')).renderText(report, options);
    case 'json':
      return (await import('./json.ts')).renderJson(report);
    case 'markdown':
      return (await import('./markdown.ts')).renderMarkdown(report, options);
    case 'html':
      return (await import('./html/html.ts')).renderHtml(report, options);
    case 'github':
      return (await import('./findings.ts')).renderGithub(report, options);
    case 'junit':
      return await (await import('./junit.ts')).renderJunit(report);
    case 'sarif':
      return (await import('./findings.ts')).renderSarif(report);
    default:
      return format satisfies never;
  }
}
