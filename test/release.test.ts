import { expect, test } from 'vitest';
import { formulaOf, releaseNotes, releaseProblems, withRepository } from '../scripts/release/release.mjs';
import { rowsIn } from './support/rows.ts';

const changelog =
  '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- Plans.\n\n## [1.1.0]\n\n- Old.\n';
const ready = {
  tag: 'v1.2.0',
  manifest: { version: '1.2.0' },
  changelog,
  files: { 'attune-plan.yml': 'run: npx attune@1.2.0 plan\n' },
};

test('the release check accepts a tag whose version, recipes and changelog agree', () => {
  expect(releaseProblems(ready)).toEqual([]);
});

test.each(rowsIn<[Record<string, unknown>, string]>`
- [{tag: v1.3.0}, "the tag v1.3.0 is not the version of package.json: tag v1.2.0, or change the version"]
- [{files: {attune-plan.yml: "run: npx attune@1.1.0 plan"}}, "attune-plan.yml runs attune@1.1.0: change it to 1.2.0"]
- [{changelog: "## [Unreleased]\n\n- Plans.\n"}, "CHANGELOG.md has no text for 1.2.0: rename the section [Unreleased]"]
`)('the release check refuses a release with %o', (change, problem) => {
  expect(releaseProblems({ ...ready, ...change })).toEqual([problem]);
});

test('the release adds the addresses of its repository to package.json', () => {
  expect(withRepository({ name: 'attune' }, 'acme/attune')).toEqual({
    name: 'attune',
    homepage: 'https://github.com/acme/attune#readme',
    bugs: { url: 'https://github.com/acme/attune/issues' },
    repository: { type: 'git', url: 'git+https://github.com/acme/attune.git' },
  });
});

test('release notes are the section of the version', () => {
  expect(releaseNotes(changelog, '1.2.0')).toBe('### Added\n\n- Plans.');
});

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
