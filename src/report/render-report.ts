import type { RenderOptions, Report, ReportFormat } from './report.ts';

/** Renders a report; each format is loaded when it is asked for. */
export async function renderReport(
  report: Report,
  format: ReportFormat,
  options: RenderOptions,
): Promise<string> {
  switch (format) {
    case 'text':
      return (await import('./text.ts')).renderText(report, options);
    case 'json':
      return (await import('./json.ts')).renderJson(report);
    case 'markdown':
      return (await import('./markdown.ts')).renderMarkdown(report);
    case 'html':
      return (await import('./html.ts')).renderHtml(report);
    case 'github':
      return (await import('./github.ts')).renderGithub(report);
    case 'junit':
      return (await import('./junit.ts')).renderJunit(report);
    case 'sarif':
      return (await import('./sarif.ts')).renderSarif(report);
    default:
      return format satisfies never;
  }
}
