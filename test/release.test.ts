import { describe, expect, test } from 'vitest';
import { formulaOf, releaseNotes, releaseProblems } from '../scripts/release/release.mjs';
import { rowsIn } from './support/rows.ts';

const changelog =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- Plans.\n\n## [1.1.0]\n\n- Old.\n';
const ready = {
  tag: 'v1.2.0',
  repository: 'acme/attune',
  manifest: { version: '1.2.0', repository: { url: 'git+https://github.com/acme/attune.git' } },
  changelog,
  files: { 'attune-plan.yml': '- uses: acme/attune@v1.2.0\n' },
};

describe('the release check', () => {
  test('the release check accepts a tag whose version, repository and changelog agree', () => {
    expect(releaseProblems(ready)).toEqual([]);
  });

  test.each(rowsIn<[Record<string, unknown>, string]>`
- [{tag: v1.3.0}, "the tag v1.3.0 is not the version of package.json: tag v1.2.0, or change the version"]
- [{manifest: {version: 1.2.0, repository: {url: git+https://github.com/OWNER/attune.git}}}, "repository.url of package.json is git+https://github.com/OWNER/attune.git: set it to git+https://github.com/acme/attune.git"]
- [{files: {Dockerfile: "# OWNER/attune"}}, "Dockerfile names OWNER/…: replace it with acme/attune"]
- [{files: {attune-plan.yml: "uses: acme/attune@v1.1.0"}}, "attune-plan.yml uses the action at v1.1.0: change it to v1.2.0"]
- [{files: {.gitlab-ci.yml: '- (cd "$FOLDER" && npm install --prefix "$FOLDER" attune@1.1.0)'}}, ".gitlab-ci.yml installs attune@1.1.0: change it to 1.2.0"]
- [{changelog: "## [Unreleased]\n\n- Plans.\n"}, "CHANGELOG.md has no text for 1.2.0: rename the section [Unreleased]"]
`)('the release check refuses a release with %o', (change, problem) => {
    expect(releaseProblems({ ...ready, ...change })).toEqual([problem]);
  });

  test('release notes are the section of the version', () => {
    expect(releaseNotes(changelog, '1.2.0')).toBe('### Added\n\n- Plans.');
  });
});

describe('the Homebrew formula', () => {
  const template =
    '# A template.\nclass Attune\n  version "{{version}}"\n  sha256 "{{sha256 attune-linux-x64}}"\nend\n';

  test('the Homebrew formula gets the version and the checksum of each executable', () => {
    const sums = 'aa11  attune-linux-x64\nbb22 *attune-win32-x64.exe\n';
    expect(formulaOf({ template, version: '1.2.0', repository: 'acme/attune', sums })).toBe(
      'class Attune\n  version "1.2.0"\n  sha256 "aa11"\nend\n',
    );
  });

  test('the Homebrew formula fails without the checksum of an executable', () => {
    expect(() => formulaOf({ template, version: '1.2.0', repository: 'acme/attune', sums: '' })).toThrow(
      'the formula needs the sha256 of attune-linux-x64',
    );
  });
});
