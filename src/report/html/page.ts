import { createHash } from 'node:crypto';
import { type Html, html, htmlText, trusted } from './escape.ts';
import { script, style } from './page-assets.js';

export interface PageParts {
  readonly title: string;
  readonly body: Html;
}

/**
 * The whole file. It asks the network for nothing, and its policy allows this one style and this one script by their
 * hashes: markup that got in would have no way to run.
 */
export function page({ title, body }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return htmlText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${trusted(style)}</style>
</head>
<body>
${body}
<script>${trusted(script)}</script>
</body>
</html>
`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
