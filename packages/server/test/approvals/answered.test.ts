import { expect, it } from 'vitest';
import { createApprovalLinks } from '../../src/approvals/page/approval-links.ts';
import { createKeyRing } from '../../src/secrets/key-ring.ts';
import { createSecretBox } from '../../src/secrets/secret-box.ts';
import { openLive } from '../console/support/live-client.ts';
import { answerByLink } from '../support/answer-by-link.ts';
import { makeMember } from '../support/members.ts';
import { refund } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

const place = useRefundDesk();
const { desk } = place;

const list = (query: string) => place.service.call(`GET /api/v1/hitl?${query}`);
const idsOf = (approvals: { id: string }[]) => approvals.map(({ id }) => id);

it('lists who answered, what was changed, and continues where a page ends', async () => {
  const bot = await desk.makeBot({ name: 'Support' });
  const turn = await desk.pause(bot, [refund, { order: 18, amount: 3 }, { order: 19, amount: 4 }]);
  const [edited = '', denied = '', linked = ''] = turn.approvalIds;
  const pending = await list(`status=pending&bot_id=${bot.botId}&limit=2`);
  expect(idsOf(pending.body)).toEqual([edited, denied]);
  expect(pending.body[0]).toMatchObject({ bot_name: 'Support', channel: 'chat', resolved_by_name: null });

  await desk.respond(edited, { action: 'approve_edited', edited_args: { order: 17, amount: 5 } });
  await desk.respond(denied, { action: 'deny', text: 'Not this one.' });
  const links = createApprovalLinks(
    createSecretBox(createKeyRing(place.service.encryptionKey)),
    place.service.url,
  );
  await place.service.database.acrossWorkspaces.raw(
    `update bots set settings = settings || '{"approval_notice": {"email": "ops@example.com"}}' where id = $1`,
    [bot.botId],
  );
  await answerByLink(links.urlFor(linked, 'ops@example.com'), { action: 'approve' });

  const first = await list(`status=resolved&bot_id=${bot.botId}&limit=2`);
  expect(first.body).toMatchObject([
    { id: linked, status: 'approved', resolved_by: 'link', resolved_by_name: 'approval link' },
    { id: denied, status: 'denied', reason: 'Not this one.', resolved_by_name: 'API key First key' },
  ]);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const second = await place.service.call(`GET ${next.replace(/^https?:\/\/[^/]+/, '')}`);
  expect(second.body).toMatchObject([
    { id: edited, status: 'approved_edited', arguments: refund, edited_arguments: { order: 17, amount: 5 } },
  ]);
  expect(second.headers.get('link')).toBeNull();
  expect((await list(`status=resolved&bot_id=${bot.botId}&tool=other`)).body).toEqual([]);
  expect((await list('status=pending&before=1.x')).status).toBe(400);
  expect((await list(`status=resolved&before=999999999999999.${edited}`)).status).toBe(400);
  expect((await place.service.call(`GET /api/v1/hitl/${edited}`)).body).toEqual(second.body[0]);
  // Values may be texts of the end user, which the log would keep.
  const [entry] = (await place.service.call(`GET /api/v1/audit?object=${edited}`)).body;
  expect(entry.changes).toEqual([
    { field: 'status', before: 'pending', after: 'approved_edited' },
    { field: 'edited_arguments', before: null, after: ['amount'] },
  ]);
  await desk.ending(turn);
});

it('tells the loser of a race who was first, and how', async () => {
  const ada = await makeMember(place.service, { role: 'operator', name: 'Ada' });
  const [byKey, byMember] = [await desk.pause(await desk.makeBot()), await desk.pause(await desk.makeBot())];
  const [keyed = '', membered = ''] = [...byKey.approvalIds, ...byMember.approvalIds];
  const answerAsAda = (id: string, body: object) => ada.call(`POST /api/v1/hitl/${id}/respond`, { body });
  await desk.respond(keyed, { action: 'deny' });
  expect(await answerAsAda(keyed, { action: 'approve' })).toMatchObject({
    status: 409,
    body: {
      code: 'ALREADY_RESOLVED',
      message: 'This was already denied by the API, with the key First key.',
      details: [{ id: keyed, status: 'denied', resolved_by_name: 'API key First key' }],
    },
  });
  await answerAsAda(membered, { action: 'approve' });
  expect(await desk.respond(membered, { action: 'approve' })).toMatchObject({
    status: 409,
    body: {
      message: 'This was already approved by Ada in the console.',
      details: [{ status: 'approved', resolved_by: `member:${ada.id}`, resolved_by_name: 'Ada' }],
    },
  });
  await Promise.all([desk.ending(byKey), desk.ending(byMember)]);
});

it('lets viewers read approvals and see what waits, but not answer them', async () => {
  const viewer = await makeMember(place.service, { role: 'viewer' });
  const client = await openLive(place.service.url, viewer);
  const turn = await desk.pause(await desk.makeBot());
  const [id = ''] = turn.approvalIds;
  const waiting = async () => (await viewer.call('GET /api/console/waiting')).body.approvals;
  await client.next({ type: 'changed', object: 'approval', id });
  await client.next({ type: 'waiting', approvals: 1 });
  expect(await waiting()).toBe(1);
  expect((await viewer.call(`GET /api/v1/hitl/${id}`)).body).toMatchObject({ id, status: 'pending' });
  const refused = await viewer.call(`POST /api/v1/hitl/${id}/respond`, { body: { action: 'approve' } });
  expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  await desk.respond(id, { action: 'deny' });
  await desk.ending(turn);
  expect(await waiting()).toBe(0);
  client.socket.terminate();
  const { id: workspaceId } = await place.service.makeWorkspace();
  const stranger = await makeMember(place.service, { role: 'owner', workspaceId });
  expect((await stranger.call('GET /api/v1/hitl?status=resolved')).body).toEqual([]);
});
