import { expect, it } from 'vitest';
import type { ApprovalRow } from './approvals.store.ts';
import { noticeMail } from './notices/mail.ts';
import { questionPage } from './page/html.ts';

const tricky = 'a\u202Eb\u200Bc\u3164d';
const hidden = /[\u202E\u200B\u3164]/;
const contexts: ApprovalRow['context'][] = [
  { kind: 'call', summary: tricky },
  { kind: 'command', command: tricky, cwd: tricky, machine: tricky },
  { kind: 'diff', path: tricky, diff: `+${tricky}\n-${tricky}\n ${tricky}` },
];
const rowWith = (context: ApprovalRow['context']): ApprovalRow => ({
  id: 'a',
  workspaceId: 'w',
  conversationId: 'c',
  turnId: 't',
  botId: 'b',
  botVersion: null,
  toolCallId: 'd',
  toolType: 'http_request',
  titleTemplate: null,
  toolName: 'refund',
  arguments: { text: tricky },
  argumentsSchema: {},
  basis: null,
  linkEdit: false,
  isQuestion: false,
  context,
  fingerprint: null,
  status: 'pending',
  editedArguments: null,
  reason: null,
  createdAt: new Date(0),
  expiresAt: new Date(60_000),
  resolvedAt: null,
  resolvedBy: null,
  grantable: null,
  toolGrantable: null,
  grantId: null,
});

it.each(contexts)('the page hides nothing of a $kind', (context) => {
  const row = rowWith(context);
  const html = questionPage({
    row,
    botName: tricky,
    lastMessage: tricky,
    isOnMachine: false,
    now: new Date(0),
  });
  expect(html).not.toMatch(hidden);
  expect(html).toContain(String.raw`a\u{202e}b\u{200b}c\u{3164}d`);
  // What is to be edited is still the same JSON.
  expect(html).toContain(String.raw`a\u202eb\u200bc\u3164d`);
});

it('the page offers to edit only what its form accepts', () => {
  const row = { ...rowWith({ kind: 'diff', path: 'a', diff: '+x' }), linkEdit: true };
  const question = { botName: 'b', lastMessage: undefined, isOnMachine: false, now: new Date(0) };
  expect(questionPage({ row, ...question })).toContain('name="edited_args"');
  const long = { ...row, arguments: { content: 'x'.repeat(200_000) } };
  expect(questionPage({ row: long, ...question })).not.toContain('name="edited_args"');
});

it.each(contexts)('the mail hides nothing of a $kind', (context) => {
  const approval = { ...rowWith(context), titleTemplate: 'Say {{text}}' };
  const { subject, text } = noticeMail({ to: 'x@example.com', botName: tricky, approval, link: 'https://x' });
  expect(subject + text).not.toMatch(hidden);
  expect(text).toContain(String.raw`a\u{202e}b\u{200b}c\u{3164}d is waiting`);
});

it('the mail says where a long command would run, and that it does not show all of it', () => {
  const context = { kind: 'command', command: 'x'.repeat(5_000), cwd: '/shop', machine: 'laptop' } as const;
  const approval = { ...rowWith(context), toolName: 'run_command', arguments: { command: context.command } };
  const { text } = noticeMail({ to: 'x@example.com', botName: 'Coder', approval, link: 'https://x' });
  expect(text).toContain('> In /shop on laptop:\n> xxx');
  expect(text).toMatch(/\nThis is not all of it: the page shows 10\d\d more characters\.\n/);
});
