import { readFile } from 'node:fs/promises';
import { Scalar, stringify } from 'yaml';
import { embedded } from '../../service/address.ts';
import type { CiSystem, Settled } from './settle.ts';

/** Where the recipes of `examples/ci` go in a repository (docs/ci.md). */
const recipes: Readonly<Record<CiSystem, Readonly<Record<string, string>>>> = {
  github: {
    'github/attune-plan.yml': '.github/workflows/attune-plan.yml',
    'github/attune-apply.yml': '.github/workflows/attune-apply.yml',
    'github/attune-drift.yml': '.github/workflows/attune-drift.yml',
  },
  gitlab: {
    'gitlab/.gitlab-ci.yml': '.gitlab-ci.yml',
    'gitlab/gitlab.mjs': 'ci/gitlab.mjs',
  },
};

/** What the repository shall not hold: packages, the embedded service's data, plans with their reports, snapshots. */
const ignored = ['node_modules/', '.attune/', '/plan.*', '/live.json'];

/** The files of a new repository by their paths in it; `.gitignore` is extended and not among them. */
export async function scaffold(settled: Settled): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  if (!settled.isImported) files.set('attune.yaml', rootFile(settled));
  for (const [source, target] of Object.entries(settled.ci ? recipes[settled.ci] : {})) {
    files.set(target, await readFile(new URL(`../../../examples/ci/${source}`, import.meta.url), 'utf8'));
  }
  return files;
}

function rootFile({ organization, address }: Settled): string {
  const place =
    address === embedded
      ? 'embedded                  # comes along, and keeps its data in .attune; later: https://iac.example.com'
      : yamlText(address);
  return `# yaml-language-server: $schema=./node_modules/attune/schemas/attune.schema.json
attune: 1
organization: ${yamlText(organization)}

service:
  address: ${place}

# What shall be there: your editor completes and explains it by the line at the top. \`attune plan\` shows what it
# would change. For instance:
#
# workspaces:
#   network-dev:
#     description: Shared networks
#     execution-mode: remote
#     tags: [network, dev]
`;
}

/** Quoted where YAML would read it as something else than text. */
function yamlText(text: string): string {
  return stringify(new Scalar(text)).trimEnd();
}

/**
 * A `.gitignore` that ignores all of these.
 *
 * @param before What stands in it.
 */
export function extendedIgnores(before: string): string {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const has = new Set(before.split('\n').map(plain));
  const missing = ignored.filter((line) => !has.has(plain(line)));
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${missing.map((line) => `${line}\n`).join('')}`;
}
