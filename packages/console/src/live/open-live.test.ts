import { type LiveMessage, signedOutCode } from '@svc/contract/live';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createApi } from '../api/client.ts';
import { openLive } from './open-live.ts';

const workspaceId = 'w';
/** The sockets of the page, the latest last. */
let sockets: FakeSocket[] = [];
/** How the service answers, by path. */
let answers: Record<string, { status: number; body: unknown }> = {};
let requested: string[] = [];
let opened: ReturnType<typeof openLive>;
let client: QueryClient;

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  readyState = 0;
  readonly sent: unknown[] = [];

  constructor() {
    super();
    sockets.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }
  receive(message: LiveMessage): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data: JSON.stringify(message) }));
  }
  close(code = 1006): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }
}

async function answer(path: string): Promise<Response> {
  requested.push(path);
  const { status, body } = answers[path.split('?')[0] ?? ''] ?? { status: 200, body: [] };
  return new Response(JSON.stringify(body), { status });
}

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  requested = [];
  answers = {};
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('location', new URL('https://svc.example.com/w/w'));
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  vi.stubGlobal('fetch', answer);
  client = new QueryClient();
  opened = openLive(client, createApi(workspaceId));
});
afterEach(() => {
  opened.close();
  client.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const latest = () => sockets.at(-1) as FakeSocket;
const stateName = () => opened.live.state().name;

/** Every attempt fails from now on, for this long. */
async function failFor(milliseconds: number, fail: (socket: FakeSocket) => void): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    if (latest().readyState === 0) fail(latest());
    await vi.advanceTimersByTimeAsync(50);
  }
}

it('reads every few seconds where sockets are refused, and stops when one is greeted', async () => {
  const { conversation, events } = follow();
  answers['/api/v1/chat/events'] = { status: 200, body: [{ id: 5, event: 'turn.started', data: {} }] };
  await failFor(5_000, (socket) => socket.close());
  expect(stateName()).toBe('polling');
  expect(events).toEqual([{ id: 5, type: 'turn.started', data: {} }]);
  // The next poll continues after it.
  await failFor(5_000, (socket) => socket.close());
  expect(requested.filter((path) => path.startsWith('/api/v1/chat')).at(-1)).toContain('after=5');
  await vi.advanceTimersByTimeAsync(15_000);
  latest().open();
  latest().receive({ type: 'hello', release: '1' });
  expect(stateName()).toBe('connected');
  expect(latest().sent).toEqual([{ type: 'follow', conversation_id: conversation, after: 5 }]);
  requested = [];
  await vi.advanceTimersByTimeAsync(12_000);
  expect(requested).toEqual([]);
});

it('polls, with longer and longer pauses between attempts, where sockets open and are closed without a greeting', async () => {
  await failFor(30_000, (socket) => {
    socket.open();
    socket.close(1013);
  });
  expect(stateName()).toBe('polling');
  expect(sockets.length).toBeLessThan(10);
});

it('keeps polling after a followed conversation was deleted', async () => {
  const { ends } = follow();
  answers['/api/v1/chat/events'] = { status: 404, body: { code: 'NOT_FOUND', message: 'Not found.' } };
  await failFor(5_000, (socket) => socket.close());
  expect(ends).toMatchObject([{ code: 'NOT_FOUND' }]);
  expect(stateName()).toBe('polling');
});

it('is offline while the service does not answer, and connects again after a silence', async () => {
  latest().open();
  latest().receive({ type: 'hello', release: '1' });
  answers['/api/console/session'] = { status: 503, body: {} };
  await vi.advanceTimersByTimeAsync(33_000);
  expect(sockets.length).toBeGreaterThan(1);
  await failFor(6_000, (socket) => socket.close());
  expect(stateName()).toBe('offline');
});

it('reads the role again when it is greeted: it may have changed while the socket was closed', () => {
  client.setQueryData(['session'], { user: null, workspaces: [] });
  latest().open();
  latest().receive({ type: 'hello', release: '1' });
  expect(client.getQueryState(['session'])).toMatchObject({ isInvalidated: true });
});

it('requests nothing more of the workspace once the person is signed out', async () => {
  const queryKey = [workspaceId, 'bot', 'list', {}];
  latest().open();
  latest().receive({ type: 'hello', release: '1' });
  client.setQueryData(queryKey, []);
  latest().receive({ type: 'changed', object: 'bot', id: null });
  latest().close(signedOutCode);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(client.getQueryState(queryKey)).toMatchObject({ isInvalidated: false });
});

it('reads again what was requested before a change, even if it had no answer yet', async () => {
  latest().open();
  let count = 0;
  const first = Promise.withResolvers<number>();
  const queryKey = [workspaceId, 'bot', 'list', {}];
  const reading = client.fetchQuery({
    queryKey,
    queryFn: () => {
      count += 1;
      return count === 1 ? first.promise : Promise.resolve(count);
    },
  });
  latest().receive({ type: 'changed', object: 'bot', id: null });
  first.resolve(1);
  await reading;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(client.getQueryState(queryKey)).toMatchObject({ data: 1, isInvalidated: true });
});

function follow() {
  const conversation = '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93';
  const events: unknown[] = [];
  const ends: unknown[] = [];
  opened.live.followed.follow(conversation, 4, {
    onEvents: (received) => events.push(...received),
    onEnd: (problem) => ends.push(problem),
  });
  return { conversation, events, ends };
}
