import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, isConnectionFailure, openDatabase } from '../../src/database/database.ts';
import { createIdentity } from '../../src/members/identity/identity.ts';
import { memberStore } from '../../src/members/members.store.ts';
import { withCostlyPasswords } from '../support/cheap-passwords.ts';
import { memberPassword } from '../support/members.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let place: TestDatabase;
const email = 'ada@example.com';
const secret = 'x'.repeat(40);

const identityOf = (database: Database, publicUrl = 'https://svc.example.com') =>
  createIdentity({
    database,
    publicUrl,
    secret,
    knownBrowsers: { cookieFor: () => 'known=yes' },
    log: pino({ level: 'silent' }),
  });

beforeAll(async () => {
  place = await createTestDatabase();
  const password = await identityOf(place.database).hashPassword(memberPassword);
  await place.database.acrossWorkspaces.transaction((tx) =>
    memberStore.insertUserAcrossWorkspaces(tx, { id: randomUUID(), name: 'Ada', email }, password),
  );
});
afterAll(() => place.drop());

it('gives cookies that no script reads and, with https, only this host gets over https', async () => {
  const [secure] = (await identityOf(place.database).signIn(email, memberPassword, {})) ?? [];
  expect(secure).toMatch(
    /^__Host-svc_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  const plain = identityOf(place.database, 'http://127.0.0.1:3000');
  const [cookie = ''] = (await plain.signIn(email, memberPassword, {})) ?? [];
  expect(cookie).toMatch(/^svc_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  expect(await plain.find({ cookie })).toMatchObject({ email });
  // It may have been read on the way, so it does not count once there is https.
  expect(await identityOf(place.database).find({ cookie })).toBeUndefined();
});

it('makes a new session of every sign-in, whatever cookie the browser had', async () => {
  const identity = identityOf(place.database);
  const sign = async (cookie = '') => (await identity.signIn(email, memberPassword, { cookie }))?.[0] ?? '';
  const [first, forged] = [await sign(), '__Host-svc_session=chosen.signature'];
  const values = new Set(
    [first, await sign(first), await sign(forged)].map((cookie) => cookie.split(';')[0]),
  );
  expect(values.size).toBe(3);
  for (const cookie of [forged, '__Host-svc_session=%E0%A4%A', `${first.split('.')[0]}.${'x'.repeat(44)}`])
    expect(await identity.find({ cookie }), cookie).toBeUndefined();
});

it('works as hard on an unknown email as on a wrong password', async () => {
  const identity = identityOf(place.database);
  /** The least processor time of three attempts, which other programs do not change. */
  async function workOf(address: string): Promise<number> {
    const times: number[] = [];
    while (times.length < 3) {
      const before = process.cpuUsage();
      expect(await identity.signIn(address, 'wrong password', {})).toBeUndefined();
      times.push(process.cpuUsage(before).user);
    }
    return Math.min(...times);
  }
  await withCostlyPasswords(async () => {
    expect(await workOf('nobody@example.com')).toBeGreaterThan((await workOf(email)) / 3);
  });
});

it('says that the database is away, and does not sign anybody out', async () => {
  const cookie = (await identityOf(place.database).signIn(email, memberPassword, {}))?.[0] ?? '';
  const away = openDatabase({
    connection: { ...place.connection, port: 1 },
    onConnectionError: () => undefined,
  });
  const failure = await identityOf(away)
    .find({ cookie })
    .catch((error: unknown) => error);
  expect(isConnectionFailure(failure)).toBe(true);
  await away.close();
});
