import { describe, expect, it } from 'vitest';
import { parseServiceAddress } from './service-address.ts';

describe('the address of the service', () => {
  it.each([
    ['http://127.0.0.1:3000', 'ws://127.0.0.1:3000/api/machines/connect', false],
    ['http://localhost:3000/', 'ws://localhost:3000/api/machines/connect', false],
    ['http://[::1]:3000', 'ws://[::1]:3000/api/machines/connect', false],
    ['http://svc.example.com', 'ws://svc.example.com/api/machines/connect', true],
    ['http://127.example.com', 'ws://127.example.com/api/machines/connect', true],
    ['https://svc.example.com/team/', 'wss://svc.example.com/team/api/machines/connect', false],
  ])('of %s', (text, connect, isExposed) =>
    expect(parseServiceAddress(text)).toMatchObject({ connect, isExposed }),
  );
  it.each(['127.0.0.1:3000', 'svc.example.com', 'ws://a', 'file:///etc', ''])('refuses %j', (text) =>
    expect(() => parseServiceAddress(text)).toThrow('must start with http'),
  );
  it.each(['http://a:b@c', 'http://c?d=e', 'http://c#d'])('refuses %j', (text) =>
    expect(() => parseServiceAddress(text)).toThrow('must not contain'),
  );
});
