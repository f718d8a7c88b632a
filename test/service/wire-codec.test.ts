import { describe, expect, test } from 'vitest';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { dialects } from '../../src/model/dialect.ts';
import { permissions } from '../../src/model/permissions.ts';
import { pathsOf } from '../../src/model/rows.ts';
import type { Value } from '../../src/model/value.ts';
import {
  attributesFromWire,
  dialectOf,
  fromWireNames,
  permissionsFromWire,
  permissionsToWire,
  settingsToWire,
  toWireNames,
} from '../../src/service/wire-codec.ts';

const samples: Readonly<Record<string, Value>> = { string: 'text', boolean: true, strings: ['a', 'b'] };

describe.each(dialects)('in the dialect %s', (dialect) => {
  const everyAttribute = pathsOf(workspaceAttributes, dialect).map(
    (path) => [path, samples[workspaceAttributes[path].type] ?? null] as const,
  );
  const { 'inherits-project-auto-destroy': _flag, ...wire } = settingsToWire(everyAttribute, dialect);

  test(`every attribute is unchanged after encoding and decoding in the dialect ${dialect}`, () => {
    expect(attributesFromWire(wire, dialect, 'ws-1')).toEqual(Object.fromEntries(everyAttribute));
  });

  test(`every permission is unchanged after encoding and decoding in the dialect ${dialect}`, () => {
    const granted = pathsOf(permissions, dialect).map(
      (path) => [path, permissions[path].values[1] ?? null] as const,
    );
    expect(permissionsFromWire(permissionsToWire(granted, dialect), dialect, 'tprj-1')).toEqual(
      Object.fromEntries(granted),
    );
  });

  test(`the codec translates the names of the dialect ${dialect} in both directions`, () => {
    const neutral = settingsToWire(everyAttribute, 'iac');
    expect(toWireNames({ ...neutral, 'new-name': { x: 1 } }, dialect)).toEqual({
      ...wire,
      'new-name': { x: 1 },
    });
    expect(fromWireNames(wire, dialect)).toEqual(neutral);
  });

  test(`a document with every attribute has the dialect ${dialect}`, () => {
    expect(dialectOf({ attributes: wire })).toBe(dialect);
  });
});

test('the terraform dialect has its own names for versions, app installations and policy mocks', () => {
  expect(
    settingsToWire(
      [
        ['iac-version', '1.9.2'],
        ['vcs-repo.vcs-app-installation-id', 'ghain-1'],
      ],
      'terraform',
    ),
  ).toEqual({ 'terraform-version': '1.9.2', 'vcs-repo': { 'github-app-installation-id': 'ghain-1' } });
  expect(permissionsToWire([['workspace-access.policy-mocks', 'read']], 'terraform')).toEqual({
    'workspace-access': { 'sentinel-mocks': 'read' },
  });
});

test('the codec sorts a set, and reads a null set as empty', () => {
  const wire = { 'trigger-patterns': ['b', 'a', 'b'], 'trigger-prefixes': null };
  expect(attributesFromWire(wire, 'iac', 'ws-1')).toEqual({
    'trigger-patterns': ['a', 'b'],
    'trigger-prefixes': [],
  });
});

test('the codec leaves out missing and null permissions', () => {
  const wire = { 'project-access': null, 'workspace-access': { runs: null, move: true } };
  expect(permissionsFromWire(wire, 'iac', 'tprj-1')).toEqual({ 'workspace-access.move': true });
});

test('the codec refuses a value of another type with its name and the document', () => {
  expect(() => attributesFromWire({ 'vcs-repo': { branch: 1 } }, 'iac', 'ws-1')).toThrow(
    'GET /workspaces/ws-1: the response is not usable: its vcs-repo.branch is missing or of another type than the interface gives it',
  );
  expect(() => permissionsFromWire({ 'workspace-access': { runs: 1 } }, 'iac', 'tprj-1')).toThrow(
    'GET /team-projects/tprj-1: the response is not usable: its workspace-access.runs is missing or of another type than the interface gives it',
  );
});
