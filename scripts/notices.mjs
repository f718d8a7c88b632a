// The licences of the packages that a bundle contains.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {readonly string[]} files those in the bundle
 */
export function packageNotices(root, files) {
  const packages = new Set();
  for (const file of files) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
    if (name !== undefined) packages.add(name);
  }
  return [...packages].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((found) => /^licen[cs]e(\.|$)/i.test(found));
    if (file === undefined) throw new Error(`the package ${name} has no licence text to distribute`);
    return notice(`${name} ${version} (${license})`, readFileSync(join(folder, file), 'utf8'));
  });
}

/**
 * @param {string} title
 * @param {string} text
 */
export function notice(title, text) {
  const line = '='.repeat(80);
  return `${line}\n${title}\n${line}\n\n${text.trim()}\n`;
}
