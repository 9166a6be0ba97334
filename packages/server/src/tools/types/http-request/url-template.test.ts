import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Given } from './request-template.ts';
import { createRoom } from './room-for-response.ts';
import { fillUrl, urlTemplateFault } from './url-template.ts';

const filled = (template: string, given: Given) => fillUrl(template, given, createRoom('the address', 64));

describe('URL templates', () => {
  it.each([
    'https://api.example/v1/{{a}}/x?b={{c}}',
    'http://127.0.0.1:8080',
    'https://api.example?x={{ a }}',
    'https://api.example/a%20b/{{a}}.json',
  ])('takes %s', (template) => {
    expect(urlTemplateFault(template)).toBeUndefined();
  });

  it.each([
    '{{a}}',
    '{{a}}://api.example/',
    'https://{{a}}/',
    'https://{{a}}.example/',
    'https://api.example{{a}}/',
    'https://api.example:{{a}}/',
    'https://user{{a}}@api.example/',
    'https://user:password@api.example/',
    'https:///{{a}}/x',
    'https:/{{a}}/x',
    'https:{{a}}',
    'https:\\\\{{a}}',
    'https://api.example\\{{a}}/',
    'https://api.example/../{{a}}',
    'https://api.example/%2e%2E/{{a}}',
    'https://api.example/./{{a}}',
    'ht\ntps://api.example/',
    'https://api.example/a b',
    'ftp://api.example/',
    'file:///etc/passwd',
    '//api.example/',
    '/path',
  ])('refuses %s', (template) => {
    expect(urlTemplateFault(template)).toBeTypeOf('string');
  });

  it.each([
    ['a/b', 'https://api.example/v1/a%2Fb/end?q='],
    ['../admin', 'https://api.example/v1/..%2Fadmin/end?q='],
    ['x?y=1#z', 'https://api.example/v1/x%3Fy%3D1%23z/end?q='],
    ['@evil.example', 'https://api.example/v1/%40evil.example/end?q='],
    ['\\..\\', 'https://api.example/v1/%5C..%5C/end?q='],
    ['%2e%2e', 'https://api.example/v1/%252e%252e/end?q='],
    ['a\r\nb', 'https://api.example/v1/a%0D%0Ab/end?q='],
    ['ü \ud800', 'https://api.example/v1/%C3%BC%20%EF%BF%BD/end?q='],
    [5, 'https://api.example/v1/5/end?q='],
    [true, 'https://api.example/v1/true/end?q='],
  ])('keeps %j in its place', (value, expected) => {
    expect(filled('https://api.example/v1/{{a}}/end?q={{b}}', { a: value }).href).toBe(expected);
  });

  it.each(['.', '..', '', null, undefined])('refuses %j as a part of the path', (value) => {
    expect(() => filled('https://api.example/v1/{{a}}/end', { a: value })).toThrow(/URL/);
  });

  it('refuses dots that only come together in the end', () => {
    expect(() => filled('https://api.example/{{a}}{{b}}/x', { a: '.', b: '.' })).toThrow(/URL/);
    expect(() => filled('https://api.example/.{{a}}/x', { a: '.' })).toThrow(/URL/);
    expect(() => filled('https://api.example/%2e{{a}}/x', { a: '.' })).toThrow(/URL/);
  });

  it('never lets any text change origin, segments or the rest of the query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
        let url: URL;
        try {
          url = filled('https://api.example:8443/v1/{{a}}/end?q={{a}}&r=1', { a: value });
        } catch (error) {
          expect(['.', '..']).toContain(value);
          expect(error).toBeInstanceOf(Error);
          return;
        }
        expect(url.origin).toBe('https://api.example:8443');
        expect(url.pathname.split('/')).toHaveLength(4);
        expect(url.pathname).toMatch(/^\/v1\/.*\/end$/);
        expect([...url.searchParams.keys()]).toEqual(['q', 'r']);
        expect(url.searchParams.get('q')).toBe(value.toWellFormed());
        expect(url.hash).toBe('');
      }),
    );
  });
});
