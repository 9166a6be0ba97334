import { describe, expect, it } from 'vitest';
import { type Hop, nextHop } from './redirect.ts';

const post: Hop = {
  url: new URL('https://api.example/a/b?c'),
  method: 'POST',
  headers: { authorization: 'Bearer x', 'content-type': 'text/plain', 'x-key': 'y', accept: '*/*' },
  body: 'hello',
};
const isSecret = (header: string) => header === 'authorization' || header === 'x-key';

function follow(status: number, location: string, hop: Partial<Hop> = {}): Hop {
  return nextHop({ ...post, ...hop }, status, location, isSecret);
}

describe('redirects', () => {
  it.each([301, 302, 303])('%i turns POST into GET without its body', (status) => {
    const { method, body, headers } = follow(status, '/next');
    expect({ method, body }).toEqual({ method: 'GET', body: undefined });
    expect(headers).toEqual({ authorization: 'Bearer x', 'x-key': 'y', accept: '*/*' });
  });

  it.each([307, 308])('%i keeps method and body', (status) => {
    expect(follow(status, '/next')).toEqual({ ...post, url: new URL('https://api.example/next') });
  });

  it('303 turns PUT into GET, 301 does not; HEAD stays', () => {
    expect(follow(303, '/next', { method: 'PUT' }).method).toBe('GET');
    expect(follow(301, '/next', { method: 'PUT' }).method).toBe('PUT');
    expect(follow(303, '/next', { method: 'HEAD' }).method).toBe('HEAD');
  });

  it.each([
    'https://evil.example/',
    'https://api.example:8443/',
    'https://api.example.evil.example/',
    '//evil.example',
  ])('takes no secret along to %s', (location) => {
    expect(follow(307, location).headers).toEqual({ 'content-type': 'text/plain', accept: '*/*' });
  });

  it('does not go from https to http with a secret, but goes without one', () => {
    expect(() => follow(302, 'http://api.example/')).toThrow('which would give away a secret');
    expect(follow(302, 'http://api.example/', { headers: {} }).url.href).toBe('http://api.example/');
  });

  it('puts our own headers in the place of secret ones, which then are none', () => {
    const all = () => true;
    const secret = { accept: 'token', 'user-agent': 'token', 'x-other': 'token' };
    const away = nextHop({ ...post, headers: secret }, 302, 'https://evil.example/', all);
    expect(away.headers).toEqual({ accept: '*/*', 'user-agent': 'svc' });
    expect(nextHop(away, 302, 'http://evil.example/', all).headers).toEqual(away.headers);
    const downgrade = () => nextHop({ ...post, headers: secret }, 302, 'http://api.example/', all);
    expect(downgrade).toThrow('which would give away a secret');
  });

  it('takes no secret body to another origin', () => {
    const elsewhere = 'https://evil.example/';
    expect(() => follow(307, elsewhere, { isBodySecret: true })).toThrow('redirects to another origin');
    expect(follow(303, elsewhere, { isBodySecret: true }).body).toBeUndefined();
    expect(follow(307, '/next', { isBodySecret: true }).body).toBe('hello');
    expect(follow(307, elsewhere, { isBodySecret: true, body: undefined }).url.href).toBe(elsewhere);
  });

  it.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:1',
    'gopher://a.example',
    'https://u:p@a.example',
  ])('does not go to %s', (location) => {
    expect(() => follow(302, location)).toThrow(/Only http|cannot carry/);
  });
});
