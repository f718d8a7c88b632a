// The documentation as a site: `npm run docs:site`. The same pages are read on the repository's web page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { headingSlugs } from '../../scripts/docs/heading-slugs.mjs';

const docs = fileURLToPath(new URL('..', import.meta.url));
const root = join(docs, '..');
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = `${webAddress(repository?.url ?? repository ?? 'https://github.com/acme/attune')}/blob/main`;

/** Guides by what a reader wants; one that no group names is under `extend`. */
const guideGroups = {
  Start: ['index', 'new-service', 'emulator', 'explain', 'doctor'],
  Adopt: ['import', 'adopt-and-split', 'from-terraform', 'layouts'],
  'Daily work': [
    'state-sharing',
    'team-access',
    'onboard-a-team',
    'rename-and-move',
    'large-organization',
    'workspaces',
    'accept',
  ],
  'Review and CI': ['ci', 'reviewed-plan', 'nightly-drift', 'fan-out'],
  Protect: ['policies', 'undo', 'undo-and-freeze'],
  Operate: ['watch', 'network'],
  Extend: ['constructs', 'typescript-and-yaml', 'testing'],
};
const grouped = new Set(Object.values(guideGroups).flat());
const others = readdirSync(join(docs, 'guides'))
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => !grouped.has(name));
guideGroups.Extend.push(...others);
const reference = ['configuration', 'commands', 'diagnostics', 'api/README'];
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
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  rewrites: { 'api/README.md': 'api/index.md' },
  markdown: {
    anchor: { slugify: (heading) => headingSlugs([heading])[0] },
    config: (markdown) => {
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
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Guides', link: '/guides/' },
      { text: 'Reference', link: '/configuration' },
    ],
    sidebar: [
      { text: 'Getting started', items: [entry('getting-started'), entry('installation')] },
      ...Object.entries(guideGroups).map(([text, names]) => ({
        text,
        items: names.map((name) => entry(`guides/${name}`)),
      })),
      {
        text: 'Reference',
        items: [
          ...reference.map(entry),
          { text: 'Entry points', collapsed: true, items: interfaces.map(entry) },
        ],
      },
      { text: 'Internals', items: ['architecture', 'decisions', 'guarantees', 'performance'].map(entry) },
    ],
  },
});

/** The entry of a page, with its first heading as text. */
function entry(page) {
  const heading = /^# (.*)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1] ?? page;
  return { text: heading.replaceAll('`', ''), link: `/${page.replace(/(README|index)$/, '')}` };
}

/** Files outside the documentation are linked in the repository. */
function addressOf(href, page) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href;
  const [path, anchor] = href.split('#');
  const file = join(dirname(page), path);
  const isPage = !relative(docs, file).startsWith('..');
  if (isPage) return href.replace(/(^|\/)README\.md/, '$1index.md');
  if (!existsSync(file)) throw new Error(`${relative(root, page)} links to ${href}, which does not exist`);
  return `${sources}/${relative(root, file)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function webAddress(url) {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}
