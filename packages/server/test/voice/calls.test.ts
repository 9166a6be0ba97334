import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { createLog } from '../../src/lib/log.ts';
import { createLocalSpeech } from '../../src/voice/speech/local/local-speech.ts';
import { partBytesOf } from '../../src/voice-calls/recordings/call-recordings.service.ts';
import { createCallRecords } from '../../src/voice-calls/records/call-records.service.ts';
import { deleteExpired } from '../retention/delete-expired.ts';
import { cut, hang, text, toolCall } from '../scripted-model/script.ts';
import { makeCall, recordingsInDatabase } from '../support/make-call.ts';
import { makeMember } from '../support/members.ts';
import { spokenWords, startVoiceService, until, type VoiceService } from '../support/voice/voice-service.ts';

let voice: VoiceService;
let speech: ReturnType<typeof createLocalSpeech>;
let question: Buffer;

beforeAll(async () => {
  speech = createLocalSpeech({ log: createLog({ level: 'silent', readable: false }) });
  question = await spokenWords(speech, 'Where is my parcel, please?');
  voice = await startVoiceService();
});

afterAll(async () => {
  await voice.stop();
  speech.stop();
});

/** The greeting takes 40 ms for each of its characters, in μ-law. */
const greetingBytes = 'Hello, this is Acme.'.length * 40 * 8;

async function greeted(phone: { heard: Buffer }): Promise<void> {
  await until(() => phone.heard.length).toBeGreaterThanOrEqual(greetingBytes);
}

const rolesAndTexts = (conversation: { messages: { role: string; content: string }[] }) =>
  conversation.messages.map(({ role, content }) => [role, content]);

describe('a call', () => {
  it('is greeted, answered and recorded', async () => {
    const { botId, number } = await voice.makeBot();
    voice.understands.push('Where is my parcel, please?');
    voice.replies.push([text('Your parcel is in Cologne.\n> It arrives tomorrow.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930555', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    expect(await voice.read(callId)).toMatchObject({
      channel: 'voice',
      status: 'in_progress',
      title: 'Call from +4930555',
      call: { call_id: callId, direction: 'inbound', from_number: '+4930555', to_number: number },
    });
    await phone.say(question);
    await until(async () => rolesAndTexts(await voice.read(callId))).toEqual([
      ['assistant', 'Hello, this is Acme.'],
      ['user', 'Where is my parcel, please?'],
      // The mark of the quotation was not heard.
      ['assistant', 'Your parcel is in Cologne.\nIt arrives tomorrow.'],
    ]);
    await until(async () => (await voice.read(callId)).call.turns.length).toBe(1);
    await call.hangUp();
    const ended = await voice.over(callId);
    expect(ended.status).toBe('completed');
    expect(ended.call).toMatchObject({ status: 'completed', end_reason: 'caller_hung_up' });
    expect(ended.call.turns[0]).toMatchObject({ interrupted: false });
    for (const part of ['text_ms', 'end_of_turn_ms', 'model_ms', 'speech_ms'])
      expect(ended.call.turns[0][part]).toBeGreaterThanOrEqual(0);
    expect(Number(ended.call.cost_usd)).toBeGreaterThan(0);
    const { rows } = (await voice.service.call('GET /api/v1/usage?by=bot,model')).body;
    const used = new Map(
      rows.map((row: { bot: string; model: string; call_seconds: number }) => [
        `${row.bot} ${row.model}`,
        row.call_seconds,
      ]),
    );
    expect(used.get(`${botId} twilio/telephone`)).toBe(ended.call.duration_seconds);
    expect(used.get(`${botId} elevenlabs/speaking`)).toBe(0);
    expect(voice.elevenLabs.spoken.map((one) => one.text).slice(-3)).toEqual([
      'Hello, this is Acme.',
      'Your parcel is in Cologne.',
      'It arrives tomorrow.',
    ]);
    const asked = voice.model.requests.map(({ body }) => JSON.stringify(body));
    // Other tests have called before.
    const last = asked.findLast((body) => body.includes('This is a phone call'));
    expect(last).toContain('You opened the conversation with: Hello, this is Acme.');
    await until(async () => (await voice.read(callId)).call.summary).toBe('They talked.');
  });

  it('has no marks of quotations in a reply that broke off', async () => {
    const { number } = await voice.makeBot();
    voice.understands.push('Where is my parcel, please?');
    voice.replies.push([text('They wrote:\n> It is lost. '), cut]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930555', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    await until(async () => rolesAndTexts(await voice.read(callId))).toContainEqual([
      'assistant',
      expect.stringMatching(/^They wrote:\nIt is lost\.\s*$/),
    ]);
    await call.hangUp();
    await voice.over(callId);
  });

  it('has what the caller said once, even if a wrong guess of it was answered first', async () => {
    const { number } = await voice.makeBot();
    voice.deepgram.faults.listening = 'no final';
    // A busy machine may hear several stretches.
    voice.understands.push('Limb.', 'Limb.', 'Limb.');
    voice.replies.push([hang], [text('A new lamp is coming.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930555', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    await until(async () => rolesAndTexts(await voice.read(callId))).toContainEqual(['user', 'Limb.']);
    voice.deepgram.correct('The lamp is broken in the kitchen.');
    await until(async () => rolesAndTexts(await voice.read(callId))).toEqual([
      ['assistant', 'Hello, this is Acme.'],
      ['user', ''],
      ['user', 'The lamp is broken in the kitchen.'],
      ['assistant', 'A new lamp is coming.'],
    ]);
    // One transaction wrote both.
    const { rows } = await voice.service.database.acrossWorkspaces.execute<{ together: boolean }>(
      sql`select (guess.xmin = correction.xmin) as together from messages guess, messages correction
          where guess.conversation_id = ${callId} and guess.role = 'user' and guess.content = ''
            and correction.conversation_id = ${callId} and correction.content like 'The lamp%'`,
    );
    expect(rows).toEqual([{ together: true }]);
    voice.understands.length = 0;
    delete voice.deepgram.faults.listening;
    await call.hangUp();
    await voice.over(callId);
  });

  it('can be interrupted: the transcript has only what was heard', async () => {
    const { botId, number } = await voice.makeBot();
    voice.understands.push('Tell me everything.');
    const long = 'This sentence about parcels is rather long and takes a while to be spoken. '.repeat(6);
    voice.replies.push([text(long)], [text('All right then.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930555', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    await until(async () => (await voice.read(callId)).messages.length).toBe(3);
    const before = phone.heard.length;
    await until(() => phone.heard.length).toBeGreaterThan(before + 8_000);
    const change = { body: { system_prompt: 'Be brief from now on.' } };
    expect((await voice.service.call(`PUT /api/v1/bots/${botId}`, change)).status).toBe(200);
    voice.understands.push('Stop, that is enough.');
    await phone.say(question);
    await until(async () => (await voice.read(callId)).messages.length).toBe(5);
    const conversation = await voice.read(callId);
    const [, , reply, words, answer] = conversation.messages;
    expect(reply.interrupted).toBe(true);
    expect(reply.content.length).toBeGreaterThan(10);
    expect(reply.content.length).toBeLessThan(long.length / 2);
    expect(long.startsWith(reply.content)).toBe(true);
    expect(words.content).toBe('Stop, that is enough.');
    expect(answer.content).toBe('All right then.');
    expect(phone.received.some(({ event }) => event === 'clear')).toBe(true);
    // The model is told what the caller heard, not what it wrote.
    const asked = voice.model.requests
      .map(({ body }) => JSON.stringify(body))
      .findLast((body) => body.includes('This is a phone call'));
    expect(asked).toContain(reply.content);
    expect(asked).not.toContain(long.trim());
    expect(asked).toContain('Be brief from now on.');
    await call.hangUp();
    await voice.over(callId);
  });

  it('ends when the bot hangs up, after its farewell', async () => {
    const { number } = await voice.makeBot({ end_call_enabled: true });
    voice.understands.push('Thank you, goodbye.');
    voice.replies.push([text('Goodbye, and thank you for calling!'), toolCall('end_call', {})]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930555', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    const ended = await voice.over(callId);
    expect(ended.call).toMatchObject({ status: 'completed', end_reason: 'bot_hung_up' });
    expect(phone.heard.length).toBeGreaterThan((20 + 35) * 40 * 8 * 0.9);
    await call.ended;
  });
});

describe('what bots do on calls', () => {
  it('continues after a back-channel, and fills the time while a tool runs', async () => {
    const { botId, number } = await voice.makeBot();
    const assigned = await voice.service.call('POST /api/v1/tools/assign', {
      body: { bot_id: botId, assignments: [{ tool_type: 'current_time', speak_after_execution: true }] },
    });
    expect(assigned.status).toBe(200);
    const long = 'This sentence about the time is rather long and takes a while to be spoken. '.repeat(3);
    voice.understands.push('What time is it?');
    voice.replies.push([toolCall('current_time', {})], [text(long)]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930556', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    const replied = () =>
      voice.elevenLabs.spoken.some((one) => one.text.startsWith('This sentence about the time'));
    await until(replied).toBe(true);
    const before = phone.heard.length;
    await until(() => phone.heard.length).toBeGreaterThan(before + 8_000);
    voice.understands.push('Mhm.');
    await phone.say(question);
    // All of it is heard in the end, although it was paused.
    await until(async () =>
      (await voice.read(callId)).call.turns.map((turn: { interrupted: boolean }) => turn.interrupted),
    ).toEqual([false]);
    const conversation = await voice.read(callId);
    const reply = conversation.messages.find(({ content }: { content: string }) => content === long);
    expect(reply).toMatchObject({ role: 'assistant', interrupted: false });
    expect(voice.elevenLabs.spoken.some((one) => one.text === 'Thanks for waiting.')).toBe(true);
    expect(conversation.messages.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(1);
    await call.hangUp();
    await voice.over(callId);
  });

  it('transfers the caller to the number of the bot, and takes them back if nobody answers', async () => {
    const transfers = { call_transfer_enabled: true, call_transfer_number: '+4930999' };
    const announcement = { call_transfer_announcement: 'A customer of Acme.' };
    const { number } = await voice.makeBot({ ...transfers, ...announcement });
    voice.understands.push('I want to talk to a person.');
    voice.replies.push(
      [text('I am putting you through.'), toolCall('transfer_call', {})],
      [text('Nobody is there right now.')],
      [toolCall('transfer_call', { about: 'They want a refund & more.' })],
    );
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930557', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    await phone.closed;
    expect(call.twiml).toContain('+4930999');
    await call.dialEnded('busy');
    const back = await call.answer();
    await until(() => back.heard.length).toBeGreaterThan(0);
    await until(async () => rolesAndTexts(await voice.read(callId)).at(-1)).toEqual([
      'assistant',
      'Nobody is there right now.',
    ]);
    await until(async () => (await voice.read(callId)).call.turns.length).toBe(1);
    expect((await voice.read(callId)).status).toBe('in_progress');
    voice.understands.push('Please try again.');
    await back.say(question);
    await back.closed;
    // What the person hears who answers.
    const url = /<Number[^>]* url="([^"]+)"/.exec(call.twiml)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(await (await voice.twilio.webhook(url, { CallSid: call.sid })).text()).toContain(
      '<Response><Say language="en-US">A customer of Acme. They want a refund &amp; more.</Say></Response>',
    );
    expect((await fetch(url, { method: 'POST' })).status).toBe(403);
    await call.dialAnswered();
    await until(() => voice.transferred(callId)).toBe(true);
    expect((await voice.read(callId)).status).toBe('in_progress');
    await call.dialEnded('completed');
    const ended = await voice.over(callId);
    expect(ended.call).toMatchObject({ status: 'completed', end_reason: 'transferred' });
    await call.hangUp();
  });

  it('takes digits as masked words, ends with its voice, and does not answer numbers that nobody has', async () => {
    const { number } = await voice.makeBot();
    voice.replies.push([text('You pressed one and two.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930558', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    phone.press('1');
    phone.press('2');
    phone.press('#');
    await until(async () => (await voice.read(callId)).messages[1]?.content).toBe('**** [keypad:1]');
    await until(async () => (await voice.read(callId)).messages.length).toBe(3);
    // A voice that fails ends the call, and the conversation says why.
    voice.replies.push([text('This is not heard.')]);
    voice.elevenLabs.faults.status = 401;
    phone.press('3');
    phone.press('#');
    const ended = await voice.over(callId);
    delete voice.elevenLabs.faults.status;
    expect(ended.call).toMatchObject({
      status: 'failed',
      end_reason: 'speech_failed',
      end_detail: 'ElevenLabs refused the key: check ELEVENLABS_API_KEY.',
    });
    expect(rolesAndTexts(ended).at(-1)).not.toEqual(['assistant', 'This is not heard.']);
    const unknown = await voice.twilio.callIn(voice.service.url, { from: '+4930558', to: '+49000' });
    expect(unknown.twiml).toContain('<Reject');
  });

  it('was not answered if the caller gives up before it is connected', async () => {
    const { number } = await voice.makeBot();
    const { url } = voice.service;
    const { sid } = await voice.twilio.callIn(url, { from: '+4930560', to: number });
    const callId = await voice.newest();
    await voice.twilio.webhook(`${url}/voice/twilio/status`, { CallSid: sid, CallStatus: 'completed' });
    expect((await voice.over(callId)).call).toMatchObject({ status: 'no_answer', duration_seconds: 0 });
  });

  it('is over when its line is, even if the transcript is complete later', async () => {
    const { number } = await voice.makeBot();
    const operator = await makeMember(voice.service, { role: 'operator' });
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930561', to: number });
    const callId = await voice.newest();
    const waiting = sql`select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`;
    const { ending, lineEndedBy } = await voice.service.database.acrossWorkspaces.transaction(async (tx) => {
      await tx.execute(sql`select from conversations where id = ${callId} for update`);
      await call.answer();
      // The greeting is heard and cannot be written.
      await until(async () => (await tx.execute(waiting)).rowCount).toBe(1);
      const answer = operator.call(`POST /api/console/voice/calls/${callId}/end`);
      await until(() => call.status).toBe('completed');
      const by = Date.now();
      await until(() => Date.now()).toBeGreaterThan(by);
      return { ending: answer, lineEndedBy: by };
    });
    expect((await ending).status).toBe(200);
    const ended = await voice.over(callId);
    expect(ended.call.end_reason).toBe('stopped');
    expect(Date.parse(ended.call.ended_at)).toBeLessThanOrEqual(lineEndedBy);
    expect(rolesAndTexts(ended)).toHaveLength(1);
  });

  it('says that a request is being checked while an approval is pending', async () => {
    const { botId, number } = await voice.makeBot();
    const tool = await voice.service.call('POST /api/v1/tools', {
      body: {
        tool_type: 'http_request',
        name: 'lookup',
        description: 'Looks something up.',
        configuration: { method: 'GET', url: 'https://example.com/', approval: 'always' },
      },
    });
    expect(tool.status, JSON.stringify(tool.body)).toBe(201);
    await voice.service.call('POST /api/v1/tools/assign', {
      body: {
        bot_id: botId,
        assignments: [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }],
      },
    });
    voice.understands.push('Please look it up.');
    voice.replies.push([toolCall('lookup', {})], [text('That was not allowed.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930559', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await greeted(phone);
    await phone.say(question);
    const pending = async () =>
      (await voice.service.call(`GET /api/v1/hitl?conversation_id=${callId}`)).body as { id: string }[];
    await until(async () => (await pending()).length).toBe(1);
    const isSaid = (words: string) => () => voice.elevenLabs.spoken.some((one) => one.text.includes(words));
    await until(isSaid('it is being checked')).toBe(true);
    const [approval] = await pending();
    const answered = await voice.service.call(`POST /api/v1/hitl/${approval?.id}/respond`, {
      body: { action: 'deny', text: 'No.' },
    });
    expect(answered.status).toBe(200);
    await until(isSaid('That was not allowed.')).toBe(true);
    await call.hangUp();
    await voice.over(callId);
  });
});

describe('a recording', () => {
  const download = async (callId: string, headers: Record<string, string> = {}, key = voice.service.key) => {
    const url = `${voice.service.url}/api/v1/calls/${callId}/recording`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers } });
    return {
      status: response.status,
      headers: response.headers,
      wav: Buffer.from(await response.arrayBuffer()),
    };
  };
  const stored = async (callId: string) => {
    const { rows } = await voice.service.database.acrossWorkspaces.execute<{ count: number }>(
      sql`select count(*)::int from call_recording_parts where call_id = ${callId}`,
    );
    return rows[0]?.count;
  };
  /** How much of one channel is not silence, in milliseconds. */
  const soundMs = (wav: Buffer, channel: 0 | 1) =>
    wav.subarray(44).filter((byte, at) => at % 2 === channel && (byte & 0x7f) < 0x7a).length / 8;

  async function talkOnce(number: string, ...heardFirst: string[]) {
    voice.understands.push('Where is my parcel, please?');
    voice.replies.push([text('It is in Cologne.')]);
    const call = await voice.twilio.callIn(voice.service.url, { from: '+4930570', to: number });
    const phone = await call.answer();
    const callId = await voice.newest();
    await until(() => phone.heard.length).toBeGreaterThanOrEqual(heardFirst.join('').length * 40 * 8);
    await phone.say(question);
    await until(async () => (await voice.read(callId)).messages.length).toBe(heardFirst.length + 2);
    await until(async () => (await voice.read(callId)).call.turns.length).toBe(1);
    await call.hangUp();
    return voice.over(callId);
  }

  it('has both sides, and callers are told first; it is erased with the conversation', async () => {
    const { number } = await voice.makeBot({ record_calls: true, recording_announcement: 'We record this.' });
    const ended = await talkOnce(number, 'We record this.', 'Hello, this is Acme.');
    const { messages } = ended;
    expect([messages[0].content, messages[1].content]).toEqual(['We record this.', 'Hello, this is Acme.']);
    const blank = { name: 'X', system_prompt: 'x', recording_announcement: ' ' };
    expect(await voice.service.call('POST /api/v1/bots', { body: blank })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'recording_announcement' }] },
    });
    const { status, wav, headers } = await download(ended.id);
    expect([status, headers.get('content-type'), headers.get('content-length')]).toEqual([
      200,
      'audio/wav',
      String(wav.length),
    ]);
    // µ-law, two channels, 8 kHz.
    expect([wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([7, 2, 8_000]);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(ended.call.recording_ms).toBe(Math.round((wav.length - 44) / 16));
    expect(soundMs(wav, 0)).toBeGreaterThan(300);
    expect(soundMs(wav, 1)).toBeGreaterThan(300);
    // The bot greets before the caller says anything. A first guess at what was said may have a mark too.
    const markOf = (what: 'message_id' | 'turn_id', id: string) =>
      ended.call.recording_marks.find((mark: Record<typeof what, string | null>) => mark[what] === id)?.at_ms;
    const marks = [
      markOf('message_id', messages[0].id),
      markOf('message_id', messages[1].id),
      markOf('turn_id', ended.call.turns[0].turn_id),
      markOf('message_id', messages[3].id),
      ended.call.recording_ms,
    ];
    expect(marks).toEqual(marks.map(() => expect.any(Number)));
    expect(marks).toEqual(marks.toSorted((one, other) => one - other));

    const part = await download(ended.id, { range: 'bytes=40-143' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 40-143/${wav.length}`]);
    expect(part.wav).toEqual(wav.subarray(40, 144));
    const { key } = await voice.service.makeWorkspace();
    expect((await download(ended.id, {}, key)).status).toBe(404);
    const reader = await voice.service.makeKey({ abilities: ['conversations:read'] });
    expect((await download(ended.id, {}, reader)).status).toBe(403);
    const viewer = await makeMember(voice.service, { role: 'viewer' });
    expect((await viewer.call(`GET /api/v1/calls/${ended.id}/recording`)).status).toBe(403);

    await voice.service.call(`DELETE /api/v1/conversations/${ended.id}`);
    expect([(await download(ended.id)).status, await stored(ended.id)]).toEqual([404, 0]);
  });

  it('is not made unless the bot says so', async () => {
    const { number } = await voice.makeBot();
    const ended = await talkOnce(number, 'Hello, this is Acme.');
    expect(ended.call).toMatchObject({ recording_ms: null, recording_marks: [] });
    expect([(await download(ended.id)).status, await stored(ended.id)]).toEqual([404, 0]);
  });

  it('of a lost node can be heard as far as it was written, and is deleted in time', async () => {
    const { botId } = await voice.makeBot({ record_calls: true, recording_retention_days: 7 });
    const callId = await makeCall(voice.service, { botId });
    const { database } = voice.service;
    const recordings = recordingsInDatabase(database);
    const row = await createCallRecords({ database }).findAnywhere(callId);
    if (!row) throw new Error('There is no call.');
    await recordings.begin(row, 8_000);
    expect((await download(callId)).status).toBe(404);
    const audio = Buffer.alloc(partBytesOf(8_000), 1);
    for (const position of [0, 1, 1]) {
      const bytes = (position + 1) * audio.length;
      await recordings.append(row, { position, audio, bytes, marks: [] });
    }
    const short = Buffer.alloc(10, 1);
    await recordings.append(row, { position: 2, audio: short, bytes: 2 * audio.length + 20, marks: [] });
    expect((await download(callId)).wav.subarray(44)).toEqual(
      Buffer.concat([audio, audio, short, Buffer.alloc(10, 0xff)]),
    );
    expect((await download(callId, { range: 'bytes=-5' })).wav).toEqual(Buffer.alloc(5, 0xff));
    expect(
      (await download(callId, { range: `bytes=${44 + audio.length - 1}-${44 + audio.length}` })).wav,
    ).toEqual(Buffer.from([1, 1]));
    const age = (days: number) =>
      database.acrossWorkspaces.execute(
        sql`update call_recordings set created_at = now() - make_interval(days => ${days}) where call_id = ${callId}`,
      );
    await age(6);
    await deleteExpired({ database });
    expect(await stored(callId)).toBe(3);
    await age(8);
    await deleteExpired({ database });
    expect(await stored(callId)).toBe(0);
  });
});
