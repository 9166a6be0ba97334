import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLive } from '../console/support/live-client.ts';
import { memberPassword, signIn } from '../support/members.ts';
import { runCommand } from '../support/service-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let store: TestDatabase;
let node: TestNode;
beforeAll(async () => {
  store = await createTestDatabase();
  node = await startNode({ database: store.database });
});
afterAll(async () => {
  await node.stop();
  await store.drop();
});

async function svc(...args: string[]) {
  const result = await runCommand([...args, '--json'], { ...store.environment, SVC_PUBLIC_URL: node.url });
  return { ...result, document: result.code === 0 ? JSON.parse(result.stdout) : undefined };
}

function post(path: string, body: object) {
  const headers = { origin: node.url, 'x-svc-console': '1' };
  return node.call(`POST /api/console${path}`, { key: null, body, headers });
}

it('manages the people of an installation beside the running service', async () => {
  const setUp = (await svc('setup-link')).document.url;
  const person = { name: 'Ada', email: 'ada@example.com', password: memberPassword };
  const token = new URL(setUp).searchParams.get('token');
  expect((await post('/setup', { token, ...person })).status).toBe(200);
  expect(await svc('setup-link')).toMatchObject({ code: 1, stderr: expect.stringContaining('invite') });

  const cookieOfAda = await signIn(node.url, person.email);
  const [{ workspace_id: workspaceId }] = (await svc('members', 'list')).document;
  const openPage = await openLive(node.url, { cookie: cookieOfAda, workspaceId });
  expect(await svc('members', 'invite', '--role', 'viewer')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('without a mail server'),
  });
  const invitation = (await svc('members', 'invite', '--role', 'viewer', '--email', 'grace@example.com'))
    .document;
  await openPage.next({ type: 'resync' });
  openPage.socket.terminate();
  const invited = new URL(invitation.url).searchParams.get('token');
  const grace = { token: invited, name: 'Grace', email: 'grace@example.com', password: memberPassword };
  expect((await post('/invitation/accept', grace)).status).toBe(200);
  expect((await svc('members', 'list')).document).toMatchObject([
    { email: 'ada@example.com', role: 'owner' },
    { email: 'grace@example.com', role: 'viewer' },
  ]);

  const reset = (await svc('members', 'reset-password', 'grace@example.com')).document.url;
  const body = { token: new URL(reset).searchParams.get('token'), password: 'another password' };
  const cookie = await signIn(node.url, 'grace@example.com');
  expect((await post('/reset', body)).status).toBe(200);
  expect((await post('/reset', body)).status).toBe(400);
  const headers = { cookie, origin: node.url, 'x-svc-console': '1' };
  expect((await node.call('GET /api/console/session', { key: null, headers })).body.user).toBeNull();

  expect((await svc('members', 'remove', 'ada@example.com')).stderr).toContain('needs an owner');
  expect((await svc('members', 'remove', 'nobody@example.com')).stderr).toContain('Nobody was found');
  expect((await svc('members', 'remove', 'grace@example.com')).code).toBe(0);
  expect((await svc('members', 'list')).document).toHaveLength(1);
});
