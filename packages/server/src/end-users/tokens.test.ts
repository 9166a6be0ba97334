import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from '../secrets/key-ring.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { createEndUserTokens, type EndUserClaims } from './tokens.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
let now = new Date('2026-11-15T09:30:00.000Z');
const tokensWith = (current: Buffer, ...previous: Buffer[]) =>
  createEndUserTokens({ box: createSecretBox(createKeyRing(current, previous)), clock: { now: () => now } });

const claims: EndUserClaims = {
  workspaceId: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
  externalUserId: 'customer "17" 🙂',
  botId: null,
  channel: 'chat',
  issuerId: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
  expiresAt: new Date('2026-11-15T10:30:00.000Z'),
  caps: { messagesPerHour: 60, usdPerDay: '0.5' },
  lastRevoked: 0,
};

describe('end-user tokens', () => {
  it('say what was put into them', () => {
    const { token, expires_at } = tokensWith(oldKey).issue(claims);
    expect(token).toMatch(/^svc_ut_[\w-]+$/);
    expect(expires_at).toBe('2026-11-15T10:30:00.000Z');
    expect(tokensWith(oldKey).read(token)).toEqual(claims);
    const revoked = { lastRevoked: Date.parse('2026-11-15T09:00:00.123Z') };
    const bound = {
      ...claims,
      ...revoked,
      botId: claims.workspaceId,
      caps: { messagesPerHour: null, usdPerDay: null },
    };
    expect(tokensWith(oldKey).read(tokensWith(oldKey).issue(bound).token)).toEqual(bound);
  });

  it('outlive a change of the encryption key, and belong to one installation', () => {
    const { token } = tokensWith(oldKey).issue(claims);
    expect(tokensWith(newKey, oldKey).read(token)).toEqual(claims);
    expect(tokensWith(newKey).read(token)).toBeUndefined();
  });

  it('expire, even if they were read before', () => {
    const tokens = tokensWith(oldKey);
    const { token } = tokens.issue(claims);
    expect(tokens.read(token)).toEqual(claims);
    const before = now;
    now = claims.expiresAt;
    expect(tokens.read(token)).toBeUndefined();
    now = before;
  });

  it('are of one kind', () => {
    const tokens = tokensWith(oldKey);
    const renewal = tokens.issue(claims, 'renewal').token;
    const access = tokens.issue(claims).token;
    expect(renewal).toMatch(/^svc_rt_/);
    expect(tokens.read(renewal, 'renewal')).toEqual(claims);
    expect(tokens.read(renewal)).toBeUndefined();
    expect(tokens.read(access, 'renewal')).toBeUndefined();
    expect(tokens.read(renewal.replace('svc_rt_', 'svc_ut_'))).toBeUndefined();
    expect(tokens.read(access.replace('svc_ut_', 'svc_rt_'), 'renewal')).toBeUndefined();
  });

  it('fit into the renewal field of a widget, whatever the name of the user', () => {
    const longest = { ...claims, externalUserId: '🙂'.repeat(200), botId: claims.workspaceId };
    expect(tokensWith(oldKey).issue(longest, 'renewal').token.length).toBeLessThan(2_000);
  });
});
