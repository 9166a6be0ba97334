import { afterAll, beforeAll, expect, it } from 'vitest';
import { memberStore } from '../../src/members/members.store.ts';
import { createHoldings } from '../../src/members/team/holdings.ts';
import { createTeamService } from '../../src/members/team/team.service.ts';
import { holdingKinds } from '../../src/wiring/open-people.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { eventually } from '../support/chat.ts';
import { callAs, makeMember } from '../support/members.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { countWaitingForLocks } from '../support/waiting-for-locks.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

it('somebody who is being deleted neither creates a workspace nor joins one', async () => {
  const { database } = service;
  const team = createTeamService({
    database,
    workspaces: createWorkspaceService({ database }),
    holdings: createHoldings(holdingKinds),
    onRevoked: () => undefined,
  });
  const { id: workspaceId } = await service.makeWorkspace('Elsewhere');
  const inviter = await makeMember(service, { role: 'owner', workspaceId });
  const stays = await makeMember(service, { role: 'owner' });
  const leaving = await makeMember(service, { role: 'owner' });
  const invitation = await inviter.call('POST /api/console/invitations', {
    body: { role: 'owner', email: leaving.email },
  });

  // The deletion has read of which workspaces the person is a member, and waits for the members of one of them.
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = database.acrossWorkspaces.transaction(async (tx) => {
    await memberStore.lock(tx, stays.workspaceId);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const deleting = team.deleteByEmail(leaving.email);
  await eventually(() => countWaitingForLocks(database)).toBe(1);
  let answered = 0;
  const token = new URL(invitation.body.url).searchParams.get('token');
  const requests = [
    leaving.call('POST /api/console/workspaces', { body: { name: 'Orphan' } }),
    leaving.call('POST /api/console/invitation/accept', { body: { token } }),
  ].map((request) => request.finally(() => (answered += 1)));
  await eventually(async () => answered + (await countWaitingForLocks(database))).toBe(3);
  release.resolve();
  await Promise.all([locking, deleting]);

  for (const answer of await Promise.all(requests))
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  const names = (await createWorkspaceService({ database }).list()).map(({ name }) => name);
  expect(names).not.toContain('Orphan');
  const members = await callAs(service.url, inviter.cookie, workspaceId)('GET /api/console/members');
  expect(members.body).toMatchObject([{ id: inviter.id }]);
  // The link was not used up.
  const shown = await stays.call('POST /api/console/invitation', { body: { token } });
  expect(shown).toMatchObject({ status: 200, body: { email: leaving.email } });
});

it('the requests of a member count against the limit of the workspace', async () => {
  const { id: workspaceId } = await service.makeWorkspace();
  const { call } = await makeMember(service, { role: 'viewer', workspaceId });
  const limits = JSON.stringify({ requests_per_minute: 2 });
  await service.database.acrossWorkspaces.raw('update workspaces set limits = $1 where id = $2', [
    limits,
    workspaceId,
  ]);
  const answers = [await call('GET /api/v1/bots'), await call('GET /api/console/members')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.headers.get('ratelimit-remaining')).toBe('0');
  expect(await call('GET /api/v1/bots')).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
});
