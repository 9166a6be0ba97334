import { expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { openLive } from '../console/support/live-client.ts';
import { eventually } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import { useHelpDesk } from './use-help-desk.ts';

const desk = useHelpDesk();
const { newUser, read, patch, talk } = desk;

async function opened() {
  const { conversationId: id } = await talk(newUser(), 'Hi', 'Hello.');
  const [ada, vera] = await Promise.all([
    makeMember(desk.service, { role: 'operator', name: 'Ada Lovelace' }),
    makeMember(desk.service, { role: 'viewer', name: 'Vera' }),
  ]);
  const note = (mentions: string[]) =>
    ada.call(`POST /api/v1/conversations/${id}/notes`, { body: { text: '@Vera, please look', mentions } });
  return { id, ada, vera, note };
}

it('a note mentions members, who are told until they have opened the conversation', async () => {
  const { id, ada, vera, note } = await opened();
  const live = await openLive(desk.service.url, vera);
  expect((await note([vera.id.toUpperCase(), ada.id])).status).toBe(201);
  const { notes, unread_mentions } = await read(id);
  expect(notes).toMatchObject([{ text: '@Vera, please look', mentions: [vera.id, ada.id] }]);
  // Whoever writes has read it.
  expect(unread_mentions).toEqual([vera.id]);
  const listed = () => live.received.findLast(({ type }) => type === 'changed');
  await eventually(listed).toMatchObject({ id, data: { unread_mentions: [vera.id] } });
  expect((await patch(id, await read(id))).status).toBe(200);

  await ada.call(`POST /api/console/conversations/${id}/seen`);
  expect((await read(id)).unread_mentions).toEqual([vera.id]);
  expect((await vera.call(`POST /api/console/conversations/${id}/seen`)).status).toBe(200);
  expect((await read(id)).unread_mentions).toEqual([]);
  await eventually(listed).toMatchObject({ id, data: { unread_mentions: [] } });
  live.socket.terminate();
  // Nothing more is written than there is to say.
  const { last_event_id: before } = (await ada.call(`GET /api/console/conversations/${id}`)).body;
  await vera.call(`POST /api/console/conversations/${id}/seen`);
  const { last_event_id: after } = (await ada.call(`GET /api/console/conversations/${id}`)).body;
  expect(after).toBe(before);
});

it('only members of the workspace are mentioned, and a former one stays in the text', async () => {
  const { id, ada, vera, note } = await opened();
  const elsewhere = await desk.service.makeWorkspace();
  const stranger = await makeMember(desk.service, { role: 'owner', workspaceId: elsewhere.id });
  for (const [mentions, path] of [
    [[vera.id, stranger.id], 'mentions.1'],
    [[newId()], 'mentions.0'],
    [['Vera'], 'mentions.0'],
    [Array.from({ length: 21 }, () => newId()), 'mentions'],
  ] as const)
    expect(await note([...mentions])).toMatchObject({ status: 400, body: { details: [{ path }] } });
  expect((await read(id)).notes).toEqual([]);
  expect((await stranger.call(`POST /api/console/conversations/${id}/seen`)).status).toBe(404);

  await note([vera.id]);
  const owner = await makeMember(desk.service, { role: 'owner' });
  expect((await owner.call(`DELETE /api/console/members/${vera.id}`)).status).toBe(200);
  expect((await note([vera.id])).status).toBe(400);
  expect((await read(id)).notes).toMatchObject([{ text: '@Vera, please look', mentions: [vera.id] }]);
  expect((await ada.call('GET /api/console/conversations')).status).toBe(200);
});
