import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { ApiModel } from '@microsoft/api-extractor-model';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packageFile = join(root, 'package.json');
const packageJson = JSON.parse(readFileSync(packageFile, 'utf8'));

/** The entry points of package.json that have types. */
export const entryPoints = Object.entries(packageJson.exports)
  .filter(([, target]) => target.types !== undefined)
  .map(([path, { types }]) => ({
    name: path.replace(/^\./, packageJson.name),
    types: join(root, types),
    page: `${path.replace(/^\./, packageJson.name).replaceAll('/', '-')}.md`,
  }));

/** Messages that are not mistakes: a package without release tags is public as a whole. */
const accepted = new Set(['ae-missing-release-tag', 'console-preamble', 'console-compiler-version-notice']);

/**
 * Reads the public API off the built declarations. `problems` lists types in signatures that cannot be imported,
 * items without a comment, and comments that cannot be parsed.
 *
 * @param known names that can be imported from another entry point
 */
export function extractApi({ types }, known = new Set()) {
  const folder = mkdtempSync(join(tmpdir(), 'attune-api-'));
  try {
    const apiJson = join(folder, 'attune.api.json');
    const problems = [];
    Extractor.invoke(extractorConfig(types, apiJson), {
      localBuild: true,
      messageCallback: (message) => {
        message.handled = true;
        const isProblem = ['error', 'warning'].includes(message.logLevel) && !accepted.has(message.messageId);
        if (isProblem && !known.has(namedIn(message))) {
          problems.push(problemText(message));
        }
      },
    });
    // An export with the name of a global, such as MessageEvent, gets a suffix.
    writeFileSync(apiJson, readFileSync(apiJson, 'utf8').replaceAll(/\b([A-Z]\w*)_2\b/g, '$1'));
    const [entryPoint] = new ApiModel().loadPackage(apiJson).entryPoints;
    return { entryPoint, problems };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function extractorConfig(types, apiJson) {
  const messages = { default: { logLevel: 'warning' } };
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJson,
    packageJsonFullPath: packageFile,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: types,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            lib: ['es2023'],
            module: 'nodenext',
            moduleResolution: 'nodenext',
            types: ['node'],
            strict: true,
            skipLibCheck: true,
            allowImportingTsExtensions: true,
            noEmit: true,
          },
          files: [types],
        },
      },
      apiReport: { enabled: false },
      docModel: { enabled: true, apiJsonFilePath: apiJson },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: messages,
        extractorMessageReporting: { ...messages, 'ae-undocumented': { logLevel: 'warning' } },
        tsdocMessageReporting: messages,
      },
    },
  });
}

/** What a message misses among the exports. */
function namedIn({ messageId, text }) {
  if (messageId !== 'ae-forgotten-export' && messageId !== 'ae-unresolved-link') return undefined;
  return /(?:symbol|export) "(\w+?)(?:_2)?"/.exec(text)?.[1];
}

function problemText({ messageId, text, sourceFilePath, sourceFileLine }) {
  const place = sourceFilePath ? `${sourceFilePath.replace(root, '')}:${sourceFileLine}: ` : '';
  return `${place}${text} (${messageId})`;
}
