import { text } from '../../../packages/server/test/scripted-model/script.ts';
import { startScriptedModel } from '../../../packages/server/test/scripted-model/server.ts';
import { startFakeCartesia } from '../../../packages/server/test/support/voice/fake-cartesia.ts';
import { startFakeDeepgram } from '../../../packages/server/test/support/voice/fake-deepgram.ts';
import { serveJobs } from '../../support/start-worker.ts';
import type { PeersJob, PeersOutcome } from './job.ts';

/** Twice as fast as people speak, so that less time is spent listening. */
const msPerCharacter = 30;
/** Heard in 20 ms each; the rest is waited for. */
const framesMs = 20;

/** Stand-ins for the providers, in a process of their own. */
serveJobs(async ({ listening, model: modelMs, speech, replies }: PeersJob): Promise<PeersOutcome> => {
  const silenceMs = Math.floor(listening / framesMs) * framesMs;
  const deepgram = await startFakeDeepgram({
    texts: ['Where is my new order?'],
    silenceMs,
    finalDelayMs: listening - silenceMs,
    tellsTurns: false,
    // No recogniser knows a word at its first sound: interruptions are told by voice activity alone.
    isEarly: false,
  });
  const cartesia = await startFakeCartesia({ firstAudioMs: speech, msPerCharacter });
  const model = await startScriptedModel({ record: false });
  const scripts = new Map(
    Object.entries(replies).map(([name, reply]) => [
      name,
      [{ type: 'delay', milliseconds: modelMs } as const, text(reply)],
    ]),
  );
  model.respondWith(({ body }) => scripts.get(String(body['model'])) ?? [text('They talked.')]);
  return {
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: model.url('openai'),
    DEEPGRAM_API_KEY: 'key',
    DEEPGRAM_BASE_URL: deepgram.url,
    CARTESIA_API_KEY: 'key',
    CARTESIA_BASE_URL: cartesia.url,
  };
});
