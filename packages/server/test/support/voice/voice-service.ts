import { expect } from 'vitest';
import { sql } from '../../../src/database/drizzle.ts';
import { type Script, text } from '../../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../scripted-model/server.ts';
import { assignNumber } from '../assign-number.ts';
import { scriptedEnvironment } from '../chat.ts';
import { freePort } from '../free-port.ts';
import { startTestApp, type TestApp } from '../test-app.ts';
import { type FakeDeepgram, startFakeDeepgram } from './fake-deepgram.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from './fake-elevenlabs.ts';
import { type FakeTwilio, startFakeTwilio } from './fake-twilio.ts';
import { type LocalSpeech, speak } from './speech-files.ts';

export interface VoiceService {
  service: TestApp;
  model: ScriptedModel;
  twilio: FakeTwilio;
  /** What the bot's model replies in calls, one script each. */
  replies: Script[];
  /** What the recogniser understands next, one text for each stretch of speech; nothing when they run out. */
  understands: string[];
  deepgram: FakeDeepgram;
  elevenLabs: FakeElevenLabs;
  /** A bot with a number, in the workspace of this key. */
  makeBot(settings?: Record<string, unknown>, key?: string): Promise<{ botId: string; number: string }>;
  /** The conversation of a call, as the API shows it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  read(callId: string): Promise<any>;
  /** Waits until the call is over, and returns its conversation. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  over(callId: string): Promise<any>;
  /** Whether the caller of a call talks to a person instead of the bot. */
  transferred(callId: string): Promise<boolean>;
  /** The id of the newest call. */
  newest(): Promise<string>;
  stop(): Promise<void>;
}

/** Calls take seconds: asking for their state more often would take more of the processor than they do. */
export const until = <Seen>(look: () => Seen) => expect.poll(look, { interval: 200 });

/** The service with stand-ins for the telephone network, the speech providers and the model. */
export async function startVoiceService(environment: Record<string, string> = {}): Promise<VoiceService> {
  const port = await freePort();
  const model = await startScriptedModel();
  const twilio = await startFakeTwilio();
  const understands: string[] = [];
  const replies: Script[] = [];
  // Summaries of earlier calls are written in the background.
  model.respondWith(({ body }) => {
    const isCall = JSON.stringify(body).includes('This is a phone call');
    return (isCall ? replies.shift() : undefined) ?? [text('They talked.')];
  });
  // A busy machine may hear a sentence as two stretches: the second has no text of its own.
  const deepgram = await startFakeDeepgram({ script: () => understands.shift() ?? '' });
  const elevenLabs = await startFakeElevenLabs({ msPerCharacter: 40 });
  const service = await startTestApp({
    port,
    environment: {
      ...scriptedEnvironment(model),
      ...twilio.environment,
      SVC_VOICE_TRANSPORT: 'twilio',
      SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
      DEEPGRAM_API_KEY: 'key',
      DEEPGRAM_BASE_URL: deepgram.url,
      ELEVENLABS_API_KEY: 'key',
      ELEVENLABS_BASE_URL: elevenLabs.url,
      ...environment,
    },
  });
  let numbers = 0;
  const read = async (callId: string) => (await service.call(`GET /api/v1/conversations/${callId}`)).body;

  return {
    service,
    model,
    twilio,
    replies,
    understands,
    deepgram,
    elevenLabs,
    read,
    async makeBot(settings = {}, key = service.key) {
      const body = {
        name: 'Phone bot',
        system_prompt: 'You answer the phone.',
        tts_provider: 'elevenlabs',
        voice_greeting: 'Hello, this is Acme.',
        outbound_calls_enabled: true,
        ...settings,
      };
      const bot = await service.call('POST /api/v1/bots', { body, key });
      expect(bot.status, JSON.stringify(bot.body)).toBe(201);
      numbers += 1;
      const number = `+4930100${numbers}`;
      twilio.numbers.push({ phone_number: number, capabilities: { voice: true } });
      await assignNumber(service, number, bot.body.id);
      const made = await service.call('POST /api/v1/voice/numbers', {
        body: { phone_number: number, bot_id: bot.body.id, outbound_capable: true },
        key,
      });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      const primary = await service.call(`PUT /api/v1/voice/numbers/${made.body.id}`, {
        body: { is_outbound_primary: true },
        key,
      });
      expect(primary.status, JSON.stringify(primary.body)).toBe(200);
      return { botId: bot.body.id, number };
    },
    async over(callId) {
      await until(async () => (await read(callId)).call.ended_at).not.toBeNull();
      return read(callId);
    },
    async transferred(callId) {
      const { rows } = await service.database.acrossWorkspaces.execute(
        sql`select 1 from voice_transfers where call_id = ${callId}`,
      );
      return rows.length > 0;
    },
    async newest() {
      const { body } = await service.call('GET /api/v1/conversations?channel=voice&limit=1');
      return body[0].id;
    },
    async stop() {
      await service.stop();
      await Promise.all([model.close(), twilio.stop(), deepgram.close(), elevenLabs.close()]);
    },
  };
}

/** Words of a caller, with a pause after them: activity is told by a model, which a tone does not deceive. */
export async function spokenWords(speech: LocalSpeech, words: string): Promise<Buffer> {
  return speak(speech, words, { beforeMs: 100, afterMs: 1_200 });
}
