import { describe, expect, test } from 'vitest';
import { parseAddress, printAddress } from '../../src/service/address.ts';

describe('an address is taken', () => {
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
  ])('%s as %s', (written, printed) => {
    expect(printAddress(parseAddress(written))).toBe(printed);
  });
});

describe('an address is refused', () => {
  const refusal = (address: string): string => {
    try {
      parseAddress(address);
      return 'taken';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  test.each([
    ['iac.example.com', '"iac.example.com" is not an address'],
    ['', '"" is not an address'],
    ['ftp://iac.example.com', '"ftp://" is not a scheme for the service\'s address'],
    ['file:///etc/hosts', '"file://" is not a scheme for the service\'s address'],
    ['localhost:8080', '"localhost://" is not a scheme for the service\'s address'],
    ['https://user:secret@iac.example.com', 'the service address holds a user name or password'],
    ['http://iac.example.com', 'plain http to iac.example.com would send the token in the open'],
    ['http://iac.example.com:8080/x', 'plain http to iac.example.com:8080 would send the token in the open'],
    ['http://10.0.0.1', 'plain http to 10.0.0.1 would send the token in the open'],
    ['http://0.0.0.0', 'plain http to 0.0.0.0 would send the token in the open'],
    ['http://localhost.example.com', 'plain http to localhost.example.com would send the token in the open'],
    ['http://127.0.0.1.example.com', 'plain http to 127.0.0.1.example.com would send the token in the open'],
  ])('%s', (address, message) => {
    expect(refusal(address)).toBe(message);
    expect(message).not.toContain('secret');
  });
});
