import { expect, test } from 'vitest';
import { parseAddress, printAddress } from '../../src/service/address.ts';
import { rowsIn } from '../support/rows.ts';

test.each([
  ['https://iac.example.com', 'https://iac.example.com'],
  ['https://iac.example.com/', 'https://iac.example.com'],
  ['https://iac.example.com/api/v2', 'https://iac.example.com'],
  ['https://iac.example.com/api/v2/', 'https://iac.example.com'],
  ['HTTPS://IAC.Example.COM:443', 'https://iac.example.com'],
  ['https://iac.example.com:8443', 'https://iac.example.com:8443'],
  ['https://example.com/iac', 'https://example.com/iac'],
  ['https://example.com/iac/api/v2/', 'https://example.com/iac'],
  ['https://iac.example.com/?x=1#y', 'https://iac.example.com'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.8.9.1', 'http://127.8.9.1'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('the service address %s is accepted as %s', (written, printed) => {
  expect(printAddress(parseAddress(written))).toBe(printed);
});

const refusal = (address: string): string => {
  try {
    parseAddress(address);
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

test.each(rowsIn<[string, string]>`
- [iac.example.com, invalid service address "iac.example.com"]
- ['', invalid service address ""]
- [ftp://iac.example.com, 'invalid service address: unsupported scheme "ftp://"']
- [file:///etc/hosts, 'invalid service address: unsupported scheme "file://"']
- [localhost:8080, 'invalid service address: unsupported scheme "localhost://"']
- [https://user:secret@iac.example.com, 'invalid service address: it contains a user name or password']
- ['https://iac.example.com/app/acme/workspaces', 'invalid service address "https://iac.example.com/app/acme/workspaces": it is the address of a page in the browser']
- [http://iac.example.com, 'invalid service address: http to iac.example.com would send the token unencrypted']
- [http://iac.example.com:8080/x, 'invalid service address: http to iac.example.com:8080 would send the token unencrypted']
- [http://10.0.0.1, 'invalid service address: http to 10.0.0.1 would send the token unencrypted']
- [http://0.0.0.0, 'invalid service address: http to 0.0.0.0 would send the token unencrypted']
- [http://localhost.example.com, 'invalid service address: http to localhost.example.com would send the token unencrypted']
- [http://127.0.0.1.example.com, 'invalid service address: http to 127.0.0.1.example.com would send the token unencrypted']
`)('an address is refused: %s', (address, message) => {
  expect(refusal(address)).toBe(message);
  expect(message).not.toContain('secret');
});
