import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateToken, withoutSecrets } from '../../src/service/token.ts';
import { folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { rejection } from './nocked-client.ts';

const host = 'iac.example.com';
const stored = (credentials: unknown) => ({
  '.terraform.d/credentials.tfrc.json': JSON.stringify({ credentials }),
});

test.each(rowsIn<{ name: string; env: Record<string, string>; token: string }>`
- {name: in the variable of the organization before all others, env: {ATTUNE_TOKEN_ACME: o, ATTUNE_TOKEN: a, TFE_TOKEN: b}, token: o}
- {name: in ATTUNE_TOKEN and not in the variable of another organization, env: {ATTUNE_TOKEN_ACME_EMEA: x, ATTUNE_TOKEN: a}, token: a}
- {name: in ATTUNE_TOKEN before variables of the host, env: {ATTUNE_TOKEN: a, TFE_TOKEN: b, TF_TOKEN_iac_example_com: c}, token: a}
- {name: in TFE_TOKEN after ATTUNE_TOKEN, env: {TFE_TOKEN: b, TF_TOKEN_iac_example_com: c}, token: b}
- {name: in TF_TOKEN_<host> after TFE_TOKEN, env: {TF_TOKEN_iac_example_com: c}, token: c}
- {name: in the credentials file without a variable, env: {}, token: d}
- {name: in the credentials file if variables are empty, env: {ATTUNE_TOKEN: '', TFE_TOKEN: ' '}, token: d}
- {name: without the line break at its end, env: {ATTUNE_TOKEN: " a\n"}, token: a}
- {name: for this host and no other, env: {TF_TOKEN_other_example_com: x}, token: d}
`)('the token is found: $name', async ({ env, token }) => {
  const home = await folderWith(stored({ [host]: { token: 'd' }, other: { token: 'x' } }));
  expect((await locateToken(host, 'acme', { env, home })).token).toBe(token);
});

test('the token is found in the application data of Windows, the place of the credentials of Terraform', async () => {
  const [credentials] = Object.values(stored({ [host]: { token: 'd' } }));
  const folder = await folderWith({ 'terraform.d/credentials.tfrc.json': credentials ?? '' });
  const sources = { env: { APPDATA: folder }, home: '/nowhere' } as const;
  expect((await locateToken(host, 'acme', { ...sources, platform: 'win32' })).token).toBe('d');
  await expect(locateToken(host, 'acme', { ...sources, platform: 'linux' })).rejects.toThrow(
    'no token is set',
  );
});

test.each([
  { host: 'iac.example.com:8443', variable: 'TF_TOKEN_iac_example_com' },
  { host: 'my-iac.example.com', variable: 'TF_TOKEN_my__iac_example_com' },
  { host: 'my-iac.example.com', variable: 'TF_TOKEN_my-iac_example_com' },
  { host: 'xn--caf-dma.example', variable: 'TF_TOKEN_xn____caf__dma_example' },
  { host: 'localhost:8080', variable: 'TF_TOKEN_localhost' },
])('the token for $host is found in $variable', async ({ host, variable }) => {
  expect((await locateToken(host, 'acme', { env: { [variable]: 'c' }, home: '/nowhere' })).token).toBe('c');
});

test.each([
  ['acme-emea', 'ATTUNE_TOKEN_ACME_EMEA'],
  ['Acme_2', 'ATTUNE_TOKEN_ACME_2'],
  ['\u00e9quipe', 'ATTUNE_TOKEN__QUIPE'],
])('the token for the organization %s is found in %s', async (organization, variable) => {
  const sources = { env: { [variable]: 'c' }, home: '/nowhere' };
  expect((await locateToken(host, organization, sources)).token).toBe('c');
});

test('the token is found in the file for a host with its port, or else for the host without it', async () => {
  const home = await folderWith(stored({ 'a:1': { token: 'with' }, a: { token: 'without' } }));
  expect((await locateToken('a:1', 'acme', { env: {}, home })).token).toBe('with');
  expect((await locateToken('a:2', 'acme', { env: {}, home })).token).toBe('without');
});

test.each([
  { name: 'no file', files: {} },
  { name: 'a file without credentials', files: { '.terraform.d/credentials.tfrc.json': '{}' } },
  { name: 'a file that is a list', files: { '.terraform.d/credentials.tfrc.json': '[]' } },
  { name: 'another host', files: stored({ other: { token: 'x' } }) },
  { name: 'a token that is a number', files: stored({ [host]: { token: 1 } }) },
  { name: 'a host called like a method', files: stored({}) },
])('the error without a token names the ways to give one, with $name', async ({ files }) => {
  const home = await folderWith(files);
  const error = await rejection(locateToken(host, 'acme', { env: {}, home }));
  expect(error.message).toBe('cannot connect to iac.example.com: no token is set');
  expect(error.hint).toBe(
    'set ATTUNE_TOKEN (or TFE_TOKEN, or TF_TOKEN_iac_example_com), or run `terraform login iac.example.com`',
  );
});

test('the error without a token names the variable of this organization if organizations have their own tokens', async () => {
  const home = await folderWith({});
  const env = { ATTUNE_TOKEN_ACME: 'other' };
  const error = await rejection(locateToken(host, 'acme-emea', { env, home }));
  expect(error.hint).toBe(
    'set ATTUNE_TOKEN_ACME_EMEA (or TFE_TOKEN, or TF_TOKEN_iac_example_com), or run `terraform login iac.example.com`',
  );
});

test('no token is found if the home folder is a file', async () => {
  const folder = await folderWith({ home: '' });
  const error = await rejection(locateToken(host, 'acme', { env: {}, home: join(folder, 'home') }));
  expect(error.message).toBe('cannot connect to iac.example.com: no token is set');
});

test.each(['two words', 'one\ntwo', 'ümlaut', 'tab\there'])(
  'a token that cannot be sent is refused without showing it: %j',
  async (token) => {
    const error = await rejection(
      locateToken(host, 'acme', { env: { ATTUNE_TOKEN: token }, home: '/nowhere' }),
    );
    expect(error.message).toBe('invalid token in ATTUNE_TOKEN: it contains characters that cannot be sent');
    expect(error.hint).toBe('copy the token again without spaces or line breaks');
  },
);

test('a token of the credentials file that cannot be sent is refused without showing it', async () => {
  const home = await folderWith(stored({ [host]: { token: 'two words' } }));
  const error = await rejection(locateToken(host, 'acme', { env: {}, home }));
  expect(error.message).toMatch(
    /^invalid token in .*credentials\.tfrc\.json: it contains characters that cannot be sent$/,
  );
  expect(error.message).not.toContain('two words');
});

test('a credentials file that is not JSON is reported without its content', async () => {
  const home = await folderWith({ '.terraform.d/credentials.tfrc.json': '{"credentials": s3cret' });
  const error = await rejection(locateToken(host, 'acme', { env: {}, home }));
  expect(error.message).toMatch(/^cannot read .*credentials\.tfrc\.json: it is not JSON$/);
  expect(error.message).not.toContain('s3cret');
  expect(error.hint).toBe('fix the file, or set ATTUNE_TOKEN');
});

test('a credentials file that is a folder is an error', async () => {
  const home = await folderWith({});
  await mkdir(join(home, '.terraform.d', 'credentials.tfrc.json'), { recursive: true });
  const error = await rejection(locateToken(host, 'acme', { env: {}, home }));
  expect(error.message).toMatch(/^cannot read .*credentials\.tfrc\.json$/);
});

test('the credentials file is not read if the environment has a token', async () => {
  const home = await folderWith({});
  await mkdir(join(home, '.terraform.d'));
  await writeFile(join(home, '.terraform.d', 'credentials.tfrc.json'), 'broken');
  expect((await locateToken(host, 'acme', { env: { TFE_TOKEN: 'b' }, home })).token).toBe('b');
});

test('a program that needs no secrets gets no variable with the name or the content of one', () => {
  const kept = { PATH: '/usr/bin', HOME: '/home/kim', CI: 'true', SHORT: 'abc' };
  const secret = {
    ATTUNE_READ_TOKEN: 'read-token',
    attune_token_acme: 'acme-token',
    TF_TOKEN_iac_example_com: 'tf-token',
    GITHUB_TOKEN: '/usr/bin',
    AWS_SECRET_ACCESS_KEY: 'a',
    Db_Password: 'b',
    SSH_KEY: 'c',
    HEADER: 'Bearer read-token',
    BASIC: `Basic ${Buffer.from('user:read-token').toString('base64')}`,
    QUERY: 'https://host/?t=read%2Dtoken',
    JSON: '{"a":"acme-token"}',
    ATTUNE_TOKEN: 'abc',
  };
  expect(withoutSecrets({ ...kept, ...secret })).toEqual(kept);
});
