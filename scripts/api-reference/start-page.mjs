import { existsSync, readFileSync } from 'node:fs';

const library = new URL('../../examples/library/', import.meta.url);

/** The purpose of each entry point; others are listed by name. */
const purposes = {
  attune: 'from files to a plan to an apply',
  'attune/service': 'a typed client for the endpoints of the interface',
  'attune/emulator': 'the embedded service, for tests of your own',
  'attune/constructs': 'configurations written in TypeScript',
  'attune/cdktf': 'a configuration inside a `cdktf` stack',
};

/** The page that links to the others and lists the names that their examples start from. */
export function startPage(entryPoints) {
  const list = entryPoints.map(({ name, page }) => {
    const purpose = purposes[name];
    return `- [\`${name}\`](${page})${purpose ? `: ${purpose}` : ''}`;
  });
  return `# The API

<!-- Made by \`npm run docs\` from the comments in src/. -->

${list.join('\n')}

[Architecture](../architecture.md) explains how the functions follow each other. Each entry point is an ES module with
types, which need \`@types/node\`. Data is readonly and plain, so that it can be printed, saved and compared.

## The examples

Every example is a program that the tests compile and run. Its comments show the printed output. It imports the names that
it uses from its entry point, and starts from these names:

${entryPoints.flatMap(given).join('\n\n')}

The service holds [this](../../examples/library/seed.yaml), and the configuration is [this one](../../examples/library/attune.yaml).
To try one without an account, start the service in another terminal:

\`\`\`sh
attune emulator --port 8080 --seed examples/library/seed.yaml
export ATTUNE_ADDRESS=http://127.0.0.1:8080
\`\`\`
`;
}

function given({ name, page }) {
  const file = new URL(page.replace('attune', 'given').replace('.md', '.ts'), library);
  if (!existsSync(file)) return [];
  return [`For \`${name}\`:`, `\`\`\`ts\n${readFileSync(file, 'utf8').trim()}\n\`\`\``];
}
