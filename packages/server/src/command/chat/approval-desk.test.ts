import type { FullEvent } from '@svc/client/conversation';
import { expect, it, vi } from 'vitest';
import { createApprovalDesk, type DeskDependencies } from './approval-desk.ts';

const requested = {
  type: 'approval.requested',
  data: {
    approval: {
      id: 'a',
      tool_call_id: 'call',
      tool_name: 'search',
      tool_type: 'mcp',
      arguments: {},
      context: { kind: 'call', summary: 'search asks: Which account?' },
      expires_at: new Date(60_000).toISOString(),
    },
  },
} as unknown as FullEvent;
const started = { type: 'tool.started', data: { tool_call_id: 'call' } } as unknown as FullEvent;

/** A person who denies everything that they are asked. */
function open(isInteractive: boolean) {
  const respond = vi.fn(async () => undefined);
  const said: string[] = [];
  const ask = vi.fn(async (question: string) => (question.startsWith('Why') ? '' : 'd'));
  const terminal = {
    isInteractive,
    say: (text: string) => void said.push(text),
    sayLines: (lines: readonly { text: string }[]) => void said.push(...lines.map(({ text }) => text)),
    ask,
    columns: () => 80,
  };
  const dependencies = {
    client: { respond },
    terminal,
    edit: undefined,
    botName: 'Bot',
    onLeave: () => undefined,
  };
  return { desk: createApprovalDesk(dependencies as unknown as DeskDependencies), respond, said };
}

it('asks at once what a running call asks, for which the turn does not pause', async () => {
  const { desk, respond, said } = open(true);
  desk.note(started);
  desk.note(requested);
  await expect.poll(() => respond.mock.calls).toEqual([['a', { action: 'deny' }]]);
  expect(said.join('\n')).toContain('Which account?');
  await desk.close();
});

it('waits for the pause otherwise, and asks nobody where there is no terminal', async () => {
  const waiting = open(true);
  waiting.desk.note(requested);
  const without = open(false);
  without.desk.note(started);
  without.desk.note(requested);
  await Promise.all([waiting.desk.close(), without.desk.close()]);
  expect([waiting.respond.mock.calls, without.respond.mock.calls]).toEqual([[], []]);
  const paused = open(true);
  paused.desk.note(requested);
  paused.desk.open();
  await expect.poll(() => paused.respond.mock.calls).toHaveLength(1);
  await paused.desk.close();
});
