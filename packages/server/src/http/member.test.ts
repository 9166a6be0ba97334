import { describe, expect, it } from 'vitest';
import { requireOwnPage } from './member.ts';

type Sent = Parameters<typeof requireOwnPage>[0];

/** Whether a request that changes something would be let in. */
function isLetIn(headers: Record<string, string>, publicUrl: string, host = 'svc.example.com'): boolean {
  const request = { method: 'POST', host, headers: { 'x-svc-console': '1', ...headers } } as unknown as Sent;
  try {
    requireOwnPage(request, publicUrl);
    return true;
  } catch {
    return false;
  }
}

describe('a page of the service itself', () => {
  const publicUrl = 'https://svc.example.com';

  it('has the origin of the public address, or the host that the request was sent to', () => {
    expect(isLetIn({ origin: publicUrl }, publicUrl)).toBe(true);
    expect(isLetIn({ origin: 'http://10.0.0.5:3000' }, publicUrl, '10.0.0.5:3000')).toBe(true);
    expect(isLetIn({ origin: 'http://svc.example.com' }, 'http://svc.example.com')).toBe(true);
  });

  it('is not one that was sent without https where there is https', () => {
    expect(isLetIn({ origin: 'http://svc.example.com' }, publicUrl)).toBe(false);
  });

  it.each([
    'https://svc.example.com:8443',
    'https://evil.example.com',
    'https://svc.example.com.evil.io',
    'null',
    '',
    'x',
  ])('is not one of %j', (origin) => {
    expect(isLetIn({ origin }, publicUrl)).toBe(false);
  });
});
