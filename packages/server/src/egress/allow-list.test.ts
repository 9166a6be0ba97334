import { describe, expect, it } from 'vitest';
import { createAllowList } from './allow-list.ts';
import { parseAddress } from './public-address.ts';

function allows(entry: string, target: string, port = 80): boolean {
  const list = createAllowList([entry]);
  const address = parseAddress(target);
  return address ? list.allowsAddress(address, port) : list.allowsHost(target, port);
}

describe('the allow list', () => {
  it.each([
    ['intranet.example', 'intranet.example', 80],
    ['Intranet.Example', 'intranet.example', 80],
    ['bücher.example', 'xn--bcher-kva.example', 80],
    ['intranet.example:8080', 'intranet.example', 8080],
    ['*.corp.example', 'wiki.corp.example', 443],
    ['*.corp.example:443', 'a.b.corp.example', 443],
    ['10.1.2.3', '10.1.2.3', 80],
    ['10.1.2.3', '::ffff:10.1.2.3', 80],
    ['10.1.2.3:81', '10.1.2.3', 81],
    ['10.0.0.0/8', '10.200.0.1', 80],
    ['10.0.0.0/8:443', '10.200.0.1', 443],
    ['::1', '::1', 80],
    ['[::1]:81', '::1', 81],
    ['fd00::/8', 'fd12::1', 80],
    ['[fd00::/8]:443', 'fd12::1', 443],
  ])('%s allows %s on %i', (entry, target, port) => {
    expect(allows(entry, target, port)).toBe(true);
  });

  it.each([
    ['intranet.example', 'other.example', 80],
    ['intranet.example', 'a.intranet.example', 80],
    ['intranet.example', 'intranet.example.evil.example', 80],
    ['intranet.example:8080', 'intranet.example', 80],
    ['*.corp.example', 'corp.example', 80],
    ['*.corp.example', 'evilcorp.example', 80],
    ['10.1.2.3:81', '10.1.2.3', 80],
    ['10.0.0.0/8', '11.0.0.1', 80],
    ['10.0.0.0/8', 'fd12::1', 80],
    ['::/0', '10.0.0.1', 80],
  ])('%s does not allow %s on %i', (entry, target, port) => {
    expect(allows(entry, target, port)).toBe(false);
  });

  it.each([
    '10.0.0.0/33',
    'http://a.example',
    'a.example/x',
    'a b',
    'a.example:0',
    'a.example:99999',
    '*',
    '*.*.a',
  ])('says that it cannot read %s', (entry) => {
    expect(() => createAllowList([entry])).toThrow(`'${entry}' is not a host`);
  });
});
