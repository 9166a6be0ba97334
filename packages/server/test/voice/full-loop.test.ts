import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createBandSplitter } from '@svc/sip/qmf';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/lib/log.ts';
import { type AudioFormat, sampleRateOf } from '../../src/voice/audio/format.ts';
import { decodeAudio } from '../../src/voice/audio/line-audio.ts';
import { createLocalSpeech } from '../../src/voice/speech/local/local-speech.ts';
import { createBeepFinder } from '../../src/voice/voicemail/find-beep.ts';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { makeMember } from '../support/members.ts';
import { patienceMs } from '../support/patience.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Baresip, startBaresip } from '../support/voice/baresip.ts';
import { speak, transcribeFile, wordsRight } from '../support/voice/speech-files.ts';
import { readRecording, tone, writeToneFile } from '../support/voice/tones.ts';
import { freeUdpPorts } from '../support/voice/udp-port.ts';

// One sentence: a pause would end the caller's turn.
const question = 'I would like to know when my new order will arrive';
const answer = 'Your order is on its way and will arrive tomorrow afternoon.';
const number = '+4930100';

/** Calls take many seconds: asking for their state all the time would take as much of the processor as they do. */
const slowly = { interval: 500, timeout: 2 * patienceMs };

let folder: string;
let speech: ReturnType<typeof createLocalSpeech>;
let model: ScriptedModel;
let service: TestApp;
let phone: Baresip;
/** A phone with wideband. */
let wide: Baresip;
let sipPort: number;
/** What the first phone plays in its next call. */
let wav: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-loop-'));
  speech = createLocalSpeech({ log: createLog({ level: 'silent', readable: false }) });
  // The greeting is heard first; the rest of the file is silence, so that the phone does not hang up: recognition comes last on
  // a busy machine.
  wav = join(folder, 'played.wav');
  await writeQuestion(wav, 'mulaw-8000');
  model = await startScriptedModel();
  model.respondWith([text(answer)]);
  phone = await startBaresip({ folder: join(folder, 'phone'), plays: wav });
  const wideWav = join(folder, 'wide.wav');
  await writeQuestion(wideWav, 'pcm16-16000');
  wide = await startBaresip({ folder: join(folder, 'wide'), codec: 'G722', plays: wideWav });
  sipPort = await freeUdpPorts(1);
  const rtp = await freeUdpPorts(20);
  service = await startTestApp({
    environment: {
      ...scriptedEnvironment(model),
      SVC_VOICE_TRANSPORT: 'sip',
      SIP_TRUNK_URI: `sip:127.0.0.1:${phone.port}`,
      SIP_ALLOWED_PEERS: '127.0.0.1',
      SIP_LISTEN: `127.0.0.1:${sipPort}`,
      RTP_PORT_MIN: String(rtp),
      RTP_PORT_MAX: String(rtp + 19),
    },
  });
});

afterAll(async () => {
  await service.stop();
  await Promise.all([phone.stop(), wide.stop()]);
  await model.close();
  speech.stop();
  await rm(folder, { recursive: true });
});

/** A file that a phone plays: these samples, and then silence for longer than any call lasts. */
async function writeLongFile(file: string, samples: ArrayLike<number>, rate: number): Promise<void> {
  const played = new Int16Array(samples.length + (rate / 1_000) * 2 * patienceMs);
  played.set(samples);
  await writeToneFile(file, played, rate);
}

async function writeQuestion(file: string, format: AudioFormat): Promise<void> {
  const audio = await speak(speech, question, { format, beforeMs: 5_000 });
  await writeLongFile(file, decodeAudio(format, audio), sampleRateOf(format));
}

/** Calls a bot, again while a busy machine refuses it or decides too late, and answers with the id of the call. */
async function callUp(called: string, botId: string, caller = phone): Promise<string> {
  const refusals = () => caller.output.match(/486 Busy Here|503 Service Unavailable/g)?.length ?? 0;
  const newest = async (): Promise<{ id: string; bot_id: string; status: string } | undefined> =>
    (await service.call('GET /api/v1/conversations?channel=voice')).body.find(
      (call: { bot_id: string }) => call.bot_id === botId,
    );
  for (;;) {
    const [refusalsBefore, earlier] = [refusals(), await newest()];
    await caller.dial(`sip:${called}@127.0.0.1:${sipPort}`);
    let call: Awaited<ReturnType<typeof newest>>;
    const isDecided = async () => {
      call = await newest();
      const isNew = call !== undefined && call.id !== earlier?.id && call.status !== 'ringing';
      return isNew || refusals() > refusalsBefore;
    };
    await expect.poll(isDecided, slowly).toBe(true);
    if (call?.status === 'in_progress') return call.id;
    await sleep(1_000);
  }
}

/** The times of a turn are saved when its reply was heard. On a busy machine a first guess may be answered and replaced. */
const isHeard = (turn: { speech_ms: number | null; interrupted: boolean }) =>
  turn.speech_ms !== null && !turn.interrupted;

/** How much of the energy of a sound with 16,000 samples per second telephones without wideband cannot carry. */
function shareAbove4kHz(samples: Int16Array): number {
  const { low, high } = createBandSplitter()(samples);
  const energy = (band: Int32Array) => band.reduce((sum, sample) => sum + sample * sample, 0);
  return energy(high) / (energy(low) + energy(high));
}

it('understands a caller and is understood, with nothing but the model played', async () => {
  await writeQuestion(wav, 'mulaw-8000');
  const bot = await service.call('POST /api/v1/bots', {
    body: { name: 'Loop', system_prompt: 'You answer the phone.', voice_greeting: 'Hello, this is Acme.' },
  });
  const made = await service.call('POST /api/v1/voice/numbers', {
    body: { phone_number: number, bot_id: bot.body.id },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const id = await callUp(number, bot.body.id);
  const read = async () => (await service.call(`GET /api/v1/conversations/${id}`)).body;
  const turns = async () => (await read()).call.turns.filter(isHeard).length;
  await expect.poll(turns, slowly).toBeGreaterThan(0);
  await phone.hangUp();
  await expect.poll(async () => (await read()).status, slowly).toBe('completed');
  const { messages, call } = await read();
  expect(call).toMatchObject({ direction: 'inbound', end_reason: 'caller_hung_up', to_number: number });
  const said = (role: string) =>
    messages
      .filter((message: { role: string }) => message.role === role)
      .map((message: { content: string }) => message.content)
      .join(' ');
  expect(wordsRight(question, said('user'))).toBeGreaterThanOrEqual(0.7);
  expect(said('assistant')).toContain(answer);
  const recording = (await phone.heard()).at(-1) ?? '';
  const heard = (await transcribeFile(speech, recording)).join(' ');
  expect(wordsRight(`Hello, this is Acme. ${answer}`, heard)).toBeGreaterThanOrEqual(0.6);
});

it('knows an answering machine by its beep', async () => {
  const greeting = decodeAudio(
    'mulaw-8000',
    await speak(speech, 'You have reached Ann. Please leave a message after the tone.', { afterMs: 400 }),
  );
  const findBeep = createBeepFinder(8_000);
  for (let at = 0; at + 160 <= greeting.length; at += 160)
    expect(findBeep(greeting.subarray(at, at + 160))).toBe(false);
  await writeLongFile(wav, [...greeting, ...tone(1_000, 500)], 8_000);
  const bot = await service.call('POST /api/v1/bots', {
    body: {
      name: 'Caller',
      system_prompt: 'You call.',
      voice_greeting: 'Hello.',
      outbound_calls_enabled: true,
    },
  });
  const body = { phone_number: '+4930103', bot_id: bot.body.id, outbound_capable: true };
  const made = await service.call('POST /api/v1/voice/numbers', { body });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const primary = { body: { is_outbound_primary: true } };
  await service.call(`PUT /api/v1/voice/numbers/${made.body.id}`, primary);
  const placed = await service.call('POST /api/v1/calls', {
    body: { bot_id: bot.body.id, to_number: phone.user },
  });
  expect(placed.status, JSON.stringify(placed.body)).toBe(200);
  const read = async () =>
    (await service.call(`GET /api/v1/conversations/${placed.body.data.call_id}`)).body.call;
  await expect.poll(async () => (await read()).ended_at, slowly).not.toBeNull();
  expect(await read()).toMatchObject({
    status: 'no_answer',
    end_reason: 'voicemail',
    end_detail: 'A beep was heard, as of an answering machine.',
  });
});

it('tells the callers of a German bot, in German, that they are understood in English', async () => {
  // What another test left would be heard as a turn of the caller.
  await writeLongFile(wav, [], 8_000);
  const bot = await service.call('POST /api/v1/bots', {
    body: { name: 'Anna', voice_greeting: 'Hallo.', prompt_builder: { language: 'German' } },
  });
  const own = '+4930101';
  await service.call('POST /api/v1/voice/numbers', { body: { phone_number: own, bot_id: bot.body.id } });
  const id = await callUp(own, bot.body.id);
  const read = async () => (await service.call(`GET /api/v1/conversations/${id}`)).body;
  const greeting = 'Hallo. Am Telefon verstehe ich Sie leider nur, wenn Sie Englisch sprechen.';
  await expect.poll(async () => (await read()).messages[0]?.content, slowly).toBe(greeting);
  await phone.hangUp();
  await expect.poll(async () => (await read()).status, slowly).toBe('completed');
  const owner = await makeMember(service, { role: 'owner' });
  const report = await owner.call('GET /api/console/voice');
  expect(report.body).toMatchObject({
    unheard_bots: [bot.body.id],
    problems: [expect.stringMatching(/^Anna speaks German, but on calls only English is understood/)],
  });
});

/** What recognises speech for this process. */
async function recognitionProcesses(): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['--ppid', String(process.pid), '-o', 'pid=,args=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes('recognition-program'))
    .map((line) => Number.parseInt(line, 10));
}

it('talks in wideband, asks callers to wait while recognition is behind, takes no more calls, and shows how long it took', async () => {
  const bot = await service.call('POST /api/v1/bots', {
    body: { name: 'Busy', system_prompt: 'You answer the phone.', voice_greeting: 'Hello.' },
  });
  const own = '+4930102';
  await service.call('POST /api/v1/voice/numbers', { body: { phone_number: own, bot_id: bot.body.id } });
  model.respondWith([text(answer)]);
  const id = await callUp(own, bot.body.id, wide);
  const read = async () => (await service.call(`GET /api/v1/conversations/${id}`)).body;
  await expect.poll(recognitionProcesses).not.toEqual([]);
  const stopped = await recognitionProcesses();
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  const owner = await makeMember(service, { role: 'owner' });
  const report = async () => (await owner.call('GET /api/console/voice')).body;
  try {
    const said = async () => (await read()).messages.map((message: { content: string }) => message.content);
    await expect.poll(said, slowly).toContain('One moment, please.');
    await expect.poll(async () => (await report()).listening_lag_ms, slowly).toBeGreaterThan(5_000);
    expect((await report()).problems.at(-1)).toMatch(/s behind what callers say, so new calls are refused/);
    await phone.dial(`sip:${own}@127.0.0.1:${sipPort}`);
    await phone.printed('486 Busy Here');
  } finally {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
  }
  const turns = async () => (await read()).call.turns.filter(isHeard);
  await expect.poll(async () => (await turns()).length, slowly).toBeGreaterThan(0);
  await wide.hangUp();
  await expect.poll(async () => (await read()).status, slowly).toBe('completed');
  expect((await turns())[0].text_ms).toBeGreaterThan(5_000);
  // Calls are taken again.
  await expect.poll(async () => (await report()).listening_lag_ms, slowly).toBeLessThan(5_000);
  expect(wordsRight(question, (await read()).messages.at(-2).content)).toBeGreaterThanOrEqual(0.7);
  const recording = (await wide.heard()).at(-1) ?? '';
  const heard = (await transcribeFile(speech, recording, 'pcm16-16000')).join(' ');
  expect(wordsRight(answer, heard)).toBeGreaterThanOrEqual(0.6);
  // The voice itself has 0.0016; of a narrow call 0.00000006 would be left.
  expect(shareAbove4kHz(await readRecording(recording))).toBeGreaterThan(0.0005);
});
