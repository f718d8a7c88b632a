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
  const render = await renderers[format]();
  return await render(report, options);
}

type Render = (report: Report, options: RenderOptions) => string | Promise<string>;

const renderers: Readonly<Record<ReportFormat, () => Promise<Render>>> = {
  text: async () => (await import('./text/text.ts')).renderText,
  json: async () => (await import('./json.ts')).renderJson,
  markdown: async () => (await import('./markdown.ts')).renderMarkdown,
  html: async () => (await import('./html/html.ts')).renderHtml,
  github: async () => (await import('./findings.ts')).renderGithub,
  junit: async () => (await import('./findings.ts')).renderJunit,
  sarif: async () => (await import('./findings.ts')).renderSarif,
};
