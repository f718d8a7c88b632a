// The documentation as a site: `npm run docs:site`. The same pages are read on the repository's web page.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { headingSlugs } from '../../scripts/docs/heading-slugs.mjs';

const docs = fileURLToPath(new URL('..', import.meta.url));
const root = join(docs, '..');
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = `${webAddress(repository?.url ?? repository ?? 'https://github.com/acme/attune')}/blob/main`;

/** The guides by what a reader wants, in the order of their page. A guide that is in two groups is listed in the first. */
const guideGroups = groupsOf(readFileSync(join(docs, 'guides/index.md'), 'utf8'));
const reference = ['configuration', 'commands', 'diagnostics', 'performance', 'api/README'];
const interfaces = [
  'api/attune',
  'api/attune-service',
  'api/attune-constructs',
  'api/attune-cdktf',
  'api/attune-emulator',
];

export default defineConfig({
  title: 'Attune',
  description:
    'Projects, workspaces, tags, state sharing and team access of HCP Terraform and Terraform Enterprise as YAML.',
  lang: 'en',
  // Without it, a browser asks for /favicon.ico.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, '.dark .light-only, html:not(.dark) .dark-only { display: none }'],
  ],
  // Pages for contributors are read in the repository.
  srcExclude: ['architecture.md', 'contributing/**'],
  rewrites: { 'api/README.md': 'api/index.md' },
  markdown: {
    anchor: { slugify: (heading) => headingSlugs([heading])[0] },
    config: (markdown) => {
      markdown.renderer.rules.html_block = (tokens, index) => picturesOf(tokens[index].content);
      const inline = markdown.renderer.rules.link_open;
      markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const href = tokens[index].attrGet('href') ?? '';
        tokens[index].attrSet('href', addressOf(href, env.path));
        return inline(tokens, index, options, env, self);
      };
    },
  },
  themeConfig: {
    // Works offline: the index is a part of the site.
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: sources.replace(/\/blob\/main$/, '') }],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Reference', link: '/configuration' },
    ],
    sidebar: [
      { text: 'Getting started', items: [entry('getting-started'), entry('installation')] },
      { text: 'Guides', items: [{ ...entry('guides/index'), text: 'All guides' }] },
      ...guideGroups.map(({ text, names }) => ({
        text,
        collapsed: false,
        items: names.map((name) => entry(`guides/${name}`)),
      })),
      {
        text: 'Reference',
        items: [
          ...reference.map(entry),
          { text: 'Entry points', collapsed: true, items: interfaces.map(entry) },
        ],
      },
    ],
  },
});

/** The rows of the table that begins with `you want to`. */
function groupsOf(page) {
  const [, rows = ''] = page.split('| you want to | guides |\n|---|---|\n');
  const listed = new Set();
  return rows.split('\n').flatMap((row) => {
    const [, text = ''] = /^\| ([^|]+) \|/.exec(row) ?? [];
    const links = [...row.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, name]) => name);
    const names = links.filter((name) => !listed.has(name) && listed.add(name));
    return names.length === 0 ? [] : [{ text: text[0].toUpperCase() + text.slice(1), names }];
  });
}

/** The entry of a page, with its first heading as text. */
function entry(page) {
  const heading = /^# (.*)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1] ?? page;
  return { text: heading.replaceAll('`', ''), link: `/${page.replace(/(README|index)$/, '')}` };
}

/** Both pictures of a `<picture>`, because the color scheme of the site is not always that of the system. */
function picturesOf(html) {
  const [, dark] = /<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">/.exec(html) ?? [];
  const [image] = /<img [^>]+>/.exec(html) ?? [];
  if (dark === undefined || image === undefined) return html;
  const darkImage = image.replace(/src="[^"]+"/, `src="${dark}"`);
  return `${image.replace('<img', '<img class="light-only"')}${darkImage.replace('<img', '<img class="dark-only"')}`;
}

/** Files outside the documentation are linked in the repository. */
function addressOf(href, page) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href;
  const [path, anchor] = href.split('#');
  const file = join(dirname(page), path);
  const isPage = !/^(\.\.|contributing\/|architecture\.md$)/.test(relative(docs, file));
  if (isPage) return href.replace(/(^|\/)README\.md/, '$1index.md');
  if (!existsSync(file)) throw new Error(`${relative(root, page)} links to ${href}, which does not exist`);
  return `${sources}/${relative(root, file)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function webAddress(url) {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}
