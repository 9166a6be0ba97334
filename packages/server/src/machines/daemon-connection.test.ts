import { closeCodes, protocolVersion } from '@svc/contract/machine-protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newId } from '../lib/new-id.ts';
import { createDaemonConnection } from './daemon-connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const hello = {
  type: 'hello',
  protocol: protocolVersion,
  instance_id: newId(),
  version: '1',
  platform: 'linux',
  roots: ['/x'],
  sandbox: 'none',
};

function open() {
  const closed: number[] = [];
  const received: string[] = [];
  const connection = createDaemonConnection(
    { machineId: newId(), workspaceId: newId(), name: 'desk' },
    { send: () => undefined, close: (code) => void closed.push(code) },
    {
      onHello: () => undefined,
      onFrame: (frame) => void received.push(frame.type),
      onClose: () => undefined,
    },
  );
  const send = (frame: object) => connection.handlers.onFrame(Buffer.from(JSON.stringify(frame)), false);
  return { connection, closed, received, send };
}

it('gives a daemon ten seconds to introduce itself', () => {
  const late = open();
  vi.advanceTimersByTime(9_999);
  expect(late.closed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(late.closed).toEqual([closeCodes.protocolError]);

  const inTime = open();
  inTime.send(hello);
  vi.advanceTimersByTime(60_000);
  expect(inTime.closed).toEqual([]);
});

it('passes on what comes after the welcome, until it is closed', () => {
  const { connection, received, send } = open();
  const result = { type: 'result', id: newId(), outcome: { status: 'ok', value: 1 } };
  send(hello);
  send(result);
  expect(received).toEqual([]);
  connection.welcome();
  send(result);
  expect(received).toEqual(['result']);
  connection.close(closeCodes.replaced, 'Replaced.');
  send(result);
  expect(received).toEqual(['result']);
});

it('drops progress that comes too fast for readers, but no results', () => {
  const { connection, received, send } = open();
  send(hello);
  connection.welcome();
  for (let count = 0; count < 1_000; count += 1) send({ type: 'progress', id: newId(), text: 'x' });
  for (let count = 0; count < 1_000; count += 1)
    send({ type: 'result', id: newId(), outcome: { status: 'ok', value: 1 } });
  expect(received.filter((type) => type === 'result')).toHaveLength(1_000);
  const progress = received.filter((type) => type === 'progress').length;
  expect(progress).toBeGreaterThanOrEqual(100);
  expect(progress).toBeLessThan(500);
});
