// What a release needs from the files of the repository.

/**
 * Why a tag must not be released; empty if it may be.
 *
 * @param {{ tag: string, manifest: { version: string }, changelog: string, files: Readonly<Record<string, string>> }} release
 *   `files`: the texts that name the version.
 */
export function releaseProblems({ tag, manifest, changelog, files }) {
  const problems = [];
  const { version } = manifest;
  if (tag !== `v${version}`) {
    problems.push(
      `the tag ${tag} is not the version of package.json: tag v${version}, or change the version`,
    );
  }
  for (const [file, text] of Object.entries(files))
    for (const [, pin] of text.matchAll(/\battune@(\d[\w.-]*)/g))
      if (pin !== version) problems.push(`${file} runs attune@${pin}: change it to ${version}`);
  if (releaseNotes(changelog, version) === '') {
    problems.push(`CHANGELOG.md has no text for ${version}: rename the section [Unreleased]`);
  }
  return problems;
}

/**
 * package.json with the addresses of the repository that releases it.
 *
 * @param {object} manifest
 * @param {string} repository such as `acme/attune`
 */
export function withRepository(manifest, repository) {
  const url = `https://github.com/${repository}`;
  return {
    ...manifest,
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: 'git', url: `git+${url}.git` },
  };
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
