import type { ListedConversation } from '@svc/contract/console-conversations';
import { expect, it } from 'vitest';
import { knownOf, knownSince, newsOf } from './news-of.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 19, 9, minute)).toISOString();
const opened = knownSince(Date.parse(at(30)));
const row = {
  title: 'Where is my parcel?',
  external_user_id: 'visitor_0000001d-0024-4000-8000-000000000000',
  assignee: null,
  needs_human: null,
  state: 'open',
  last_message_at: at(31),
  preview: 'Still not here.',
  preview_role: 'user',
} as ListedConversation;
const waiting = { needs_human: { at: at(10), reason: 'Angry' } };

it.each([
  ['waits for anybody, and has since before', waiting, 'Teal Otter'],
  ['is the member’s own', { assignee: 'me' }, 'Teal Otter'],
  ['is a colleague’s', { ...waiting, assignee: 'other' }, undefined],
  ['is the bot’s', {}, undefined],
  ['sleeps', { ...waiting, state: 'snoozed' }, undefined],
  ['was answered last', { ...waiting, preview_role: 'operator' }, undefined],
  ['has an old message', { ...waiting, last_message_at: at(29) }, undefined],
])('a message of a conversation that %s', (_case, changes, title) => {
  expect(newsOf({ ...row, ...changes } as ListedConversation, opened, 'me')?.title).toBe(title);
});

it('a mention of the member, once until they have opened the conversation', () => {
  const mentioned = {
    ...row,
    last_message_at: at(1),
    unread_mentions: ['other', 'me'],
  } as ListedConversation;
  const news = { title: 'You were mentioned', body: 'Teal Otter: Where is my parcel?' };
  expect(newsOf(mentioned, opened, 'me')).toEqual(news);
  const known = knownOf(mentioned, opened, 'me');
  expect(newsOf(mentioned, known, 'me')).toBeUndefined();
  const seen = knownOf({ ...mentioned, unread_mentions: [] }, known, 'me');
  expect(newsOf(mentioned, seen, 'me')).toEqual(news);
});

it('a conversation that begins to wait says why, once', () => {
  const asked = { ...row, needs_human: { at: at(31), reason: 'Angry' } } as ListedConversation;
  expect(newsOf(asked, opened, 'me')).toEqual({ title: 'Teal Otter waits for a person', body: 'Angry' });
  expect(newsOf(asked, knownSince(Date.parse(at(31))), 'me')).toBeUndefined();
});
