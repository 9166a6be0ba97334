import { describe, expect, it } from 'vitest';
import { AppError } from '../../lib/app-error.ts';
import { systemClock } from '../../lib/clock.ts';
import type { BoundFunction, ToolResult } from '../../tools/tools.service.ts';
import { runToolCall } from './run-tool-call.ts';
import type { OpenToolCall } from './tool-call.ts';
import { toolCallEndsWrite } from './tool-call-end.ts';

const call: OpenToolCall = {
  id: 'a',
  messageId: 'm',
  position: 0,
  name: 'lookup',
  toolType: 'http_request',
  toolId: null,
  arguments: {},
  needsApproval: false,
  repeatable: false,
  inOrder: false,
  hasEffects: true,
  fault: null,
  status: 'proposed',
  approval: undefined,
};
const run = {
  workspaceId: 'w',
  botId: 'b',
  conversationId: 'c',
  signal: new AbortController().signal,
  onProgress: () => undefined,
};
const cause = 'The server answered with status 503.';

function bound(hidesErrors: boolean, work: () => Promise<ToolResult>): BoundFunction {
  return {
    name: 'lookup',
    description: '',
    parameters: {},
    approval: 'never',
    toolType: 'http_request',
    toolId: undefined,
    repeatable: false,
    hasEffects: true,
    isPure: false,
    hidesErrors,
    fingerprint: () => ({ tool: '', offer: '' }),
    run: work,
  };
}

const failures: [string, Partial<OpenToolCall>, () => Promise<ToolResult>][] = [
  ['a result', {}, async () => ({ status: 'error', content: cause, result: { status: 503, body: cause } })],
  ['an error of ours', {}, () => Promise.reject(new AppError('UPSTREAM_FAILED', { message: cause }))],
  ['a fault of the call', { fault: cause }, () => Promise.reject(new Error('not reached'))],
];

describe.each(failures)('a tool that fails by %s', (_how, over, work) => {
  it('tells the model and the readers how, unless it hides that', async () => {
    const end = await runToolCall({ ...call, ...over }, bound(false, work), run, systemClock);
    const { events, messages, trace } = toolCallEndsWrite([end], new Date(), true);
    expect(messages[0]?.message.content).toBe(cause);
    expect(JSON.stringify(events)).toContain(cause);
    expect(trace[0]).toMatchObject({ status: 'error', error: cause });
  });

  it('tells only the trace when it hides its errors', async () => {
    const end = await runToolCall({ ...call, ...over }, bound(true, work), run, systemClock);
    const { events, messages, outcomes, trace } = toolCallEndsWrite([end], new Date(), true);
    expect(messages[0]?.message.content).toBe('The tool failed.');
    // Not the number alone: ids and times may hold it.
    expect(JSON.stringify([events, messages, outcomes])).not.toMatch(/server|"(status|body)":(503|"The)/);
    expect(trace[0]).toMatchObject({ status: 'error', error: cause });
    expect(JSON.stringify(trace[0]?.output)).toContain(cause);
  });
});

describe('a call whose outcome is not known', () => {
  const lost = 'The machine did not report the outcome in time.';
  const work = async (): Promise<ToolResult> => ({
    status: 'unknown',
    content: lost,
    result: { reason: lost },
  });

  it('ends as unknown, and the model is told that even where errors are hidden', async () => {
    const end = await runToolCall(call, bound(false, work), run, systemClock);
    expect(end).toMatchObject({ outcome: 'unknown', content: lost });
    const hidden = await runToolCall(call, bound(true, work), run, systemClock);
    expect(hidden).toMatchObject({
      outcome: 'unknown',
      content: expect.stringContaining('not known'),
      hidden: { content: lost },
    });
    expect(hidden.content).not.toContain('machine');
  });

  it('is one that can be resumed and fails unexpectedly', async () => {
    const broken = bound(false, () => Promise.reject(new Error('at /srv/secret.ts')));
    const end = await runToolCall(call, { ...broken, isResumable: true }, run, systemClock);
    expect(end).toMatchObject({ outcome: 'unknown' });
    expect(JSON.stringify(end)).not.toContain('secret');
  });
});

it('stores nothing that PostgreSQL cannot', async () => {
  const work = async (): Promise<ToolResult> => ({
    status: 'ok',
    content: 'a\0b',
    result: { text: 'a\0b\ud800' },
  });
  const end = await runToolCall(call, bound(false, work), run, systemClock);
  expect(end).toMatchObject({ content: 'ab', result: { text: 'ab\ufffd' } });
});

it('says nothing of a failure that was not expected, not even in the trace', async () => {
  const unexpected = () => Promise.reject(new Error('at /srv/secret.ts'));
  const end = await runToolCall(call, bound(true, unexpected), run, systemClock);
  expect(JSON.stringify(toolCallEndsWrite([end], new Date(), true))).not.toContain('secret');
});

it('shows the data of images to readers, and not in traces', async () => {
  const result = { text: 'Look.', images: [{ mime_type: 'image/png', data: 'iVBORw0KGgo' }] };
  const work = async (): Promise<ToolResult> => ({ status: 'ok', content: 'Look.', result });
  const end = await runToolCall(call, bound(false, work), run, systemClock);
  const { events, trace } = toolCallEndsWrite([end], new Date(), true);
  expect(events[0]).toMatchObject({ data: { result } });
  const images = [{ mime_type: 'image/png', data: '[not traced]' }];
  expect(trace[0]?.output).toEqual({ text: 'Look.', images });
});
