import { describe, expect, it } from 'vitest';
import { isPublicAddress, parseAddress } from './public-address.ts';

const inside = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '169.254.0.23',
  '169.254.42.42',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '2606:4700::5efe:7f00:1',
  '2606:4700::200:5efe:7f00:1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:42::42',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1%eth0',
  'fec0::1',
  'ff02::1',
];

const outside = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '168.63.129.15',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '::ffff:8.8.8.8',
  '2606:4700:4700::1111',
  '2a00:1450:4001:80b::200e',
];

describe('public addresses', () => {
  it.each(inside)('refuses %s', (text) => {
    const address = parseAddress(text);
    expect(address && isPublicAddress(address)).toBe(false);
  });

  it.each(outside)('allows %s', (text) => {
    const address = parseAddress(text);
    expect(address && isPublicAddress(address)).toBe(true);
  });

  it.each(['example.com', '', 'localhost', '1.2.3.4.5', '[::1'])('%s is not an address', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});
