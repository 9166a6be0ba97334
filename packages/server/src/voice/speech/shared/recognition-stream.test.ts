import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LaneSocketEvents } from '../../../egress/trusted-web-socket.ts';
import { frameMs, silence } from '../../audio/format.ts';
import { openRecognitionStream, usualRecognitionLimits } from './recognition-stream.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream to a provider that is played by hand. */
function play({ finish }: { finish?: string } = {}) {
  const heard: string[] = [];
  /** How much audio each connection was sent. */
  const sentMs: number[] = [];
  let provider: LaneSocketEvents | undefined;
  const stream = openRecognitionStream(
    {
      name: { label: 'Acme', keyVariable: 'ACME_API_KEY' },
      connect(events) {
        provider = events;
        const connection = sentMs.push(0) - 1;
        queueMicrotask(events.onOpen);
        const send = (message: string | Buffer) => {
          if (typeof message !== 'string') sentMs[connection] = (sentMs[connection] ?? 0) + frameMs;
        };
        return { send, close: () => undefined, destroy: () => undefined };
      },
      isReadyWhenOpen: true,
      audio: (audio) => audio,
      ...(finish !== undefined && { finish }),
      keepAlive: 'still here',
      read: ({ kind, text }) => [{ kind: kind === 'final' ? 'final' : 'partial', text: String(text) }],
    },
    { format: 'mulaw-8000', limits: usualRecognitionLimits },
    {
      onPartial: (text) => heard.push(`partial ${text}`),
      onFinal: (text) => heard.push(`final ${text}`),
      onEndOfSpeech: () => undefined,
      onFailure: ({ message }) => heard.push(`failure ${message}`),
    },
  );
  return {
    stream,
    heard,
    sentMs,
    tell: (kind: string, text: string) =>
      provider?.onMessage(Buffer.from(JSON.stringify({ kind, text })), false),
    cut: () => provider?.onClose({ reason: 'closed the connection (1006)' }),
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += frameMs) {
        stream.push(silence('mulaw-8000', frameMs));
        await vi.advanceTimersByTimeAsync(frameMs);
      }
    },
  };
}

it('waits for as long as it takes where the final text cannot be asked for', async () => {
  const { stream, heard, sentMs, tell, pass } = play();
  await pass(100);
  tell('partial', 'I would like');
  stream.finish();
  await pass(20_000);
  tell('final', 'I would like to order a pizza.');
  expect(heard).toEqual(['partial I would like', 'final I would like to order a pizza.']);
  expect(sentMs).toHaveLength(1);
  stream.close();
});

it('connects again when a final text that was asked for does not come, but not while new words do', async () => {
  const { stream, heard, sentMs, tell, pass } = play({ finish: 'now' });
  const words = ['one', 'one two', 'one two three'];
  await pass(100);
  for (const text of words) {
    tell('partial', text);
    stream.finish();
    await pass(usualRecognitionLimits.finishMs - 1_000);
    tell('partial', `${text} and`);
    await pass(usualRecognitionLimits.finishMs - 1_000);
  }
  expect(sentMs).toHaveLength(1);
  await pass(2_000);
  expect(sentMs).toHaveLength(2);
  expect(heard.filter((event) => event.startsWith('failure'))).toEqual([]);
  stream.close();
});

it('sends again all of a long sentence, but little of a silence, when its connection breaks', async () => {
  const { stream, heard, sentMs, tell, cut, pass } = play();
  await pass(10_000);
  cut();
  await pass(100);
  expect(sentMs[1]).toBe(5_100);
  tell('final', 'Good morning.');
  await pass(1_000);
  tell('partial', 'I would');
  await pass(11_000);
  cut();
  await vi.advanceTimersByTimeAsync(usualRecognitionLimits.retryMs);
  expect(sentMs[2]).toBe(12_000);
  // What the first connection understood may be taken back by the next one.
  tell('final', '');
  expect(heard).toEqual(['final Good morning.', 'partial I would', 'partial ']);
  stream.close();
});
