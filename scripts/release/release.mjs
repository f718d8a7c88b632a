// What a release needs from the files of the repository.

/** The owner of the repository before the first release. */
const placeholder = 'OWNER/';

/**
 * Why a tag must not be released; empty if it may be.
 *
 * @param {{ tag: string, repository: string, manifest: { version: string, repository: { url: string } }, changelog: string, files: Readonly<Record<string, string>> }} release
 *   `files`: the texts that name the repository.
 */
export function releaseProblems({ tag, repository, manifest, changelog, files }) {
  const problems = [];
  const { version } = manifest;
  if (tag !== `v${version}`) {
    problems.push(
      `the tag ${tag} is not the version of package.json: tag v${version}, or change the version`,
    );
  }
  const url = `git+https://github.com/${repository}.git`;
  if (manifest.repository.url !== url) {
    problems.push(`repository.url of package.json is ${manifest.repository.url}: set it to ${url}`);
  }
  for (const [file, text] of Object.entries(files)) {
    if (text.includes(placeholder))
      problems.push(`${file} names ${placeholder}…: replace it with ${repository}`);
    for (const [, pin] of text.matchAll(/uses: \S+\/attune@v?(\S+)/g)) {
      if (pin !== version) problems.push(`${file} uses the action at v${pin}: change it to v${version}`);
    }
    for (const [, pin] of text.matchAll(/npm install \S.* attune@(\d[^\s)`]*)/g)) {
      if (pin !== version) problems.push(`${file} installs attune@${pin}: change it to ${version}`);
    }
  }
  if (releaseNotes(changelog, version) === '') {
    problems.push(`CHANGELOG.md has no text for ${version}: rename the section [Unreleased]`);
  }
  return problems;
}

/** The section of a version in the changelog, without its heading; empty if there is none. */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`)) ?? '';
  return section.split('\n').slice(1).join('\n').trim();
}

/**
 * The Homebrew formula of a release.
 *
 * @param {{ template: string, version: string, repository: string, sums: string }} release
 *   `sums`: the output of `sha256sum`.
 */
export function formulaOf({ template, version, repository, sums }) {
  const checksums = new Map(sums.split('\n').map((line) => line.split(/\s+\*?/).toReversed()));
  return template.replace(/^#.*\n/, '').replaceAll(/\{\{(\w+)(?: ([\w-]+))?\}\}/g, (_, name, file) => {
    const value = { version, repository, sha256: checksums.get(file) }[name];
    if (value === undefined) throw new Error(`the formula needs the ${name} of ${file}`);
    return value;
  });
}
