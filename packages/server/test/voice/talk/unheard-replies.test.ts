import { afterEach, describe, expect, it } from 'vitest';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { answering, endPlaying, first, playTalk, second, textsOf } from './hand-played-talk.ts';

const { goodbyeLimit } = phrasesIn('en');
const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };

afterEach(endPlaying);

describe('a complete reply that the caller did not hear is not in the transcript', () => {
  it('if they began to speak while a tool ran', async () => {
    const played = await answering('');
    played.emit({ type: 'tool.started', data: call });
    await played.pass(1_000);
    await played.pass(300, true);
    played.recogniser.onPartial('hello are you');
    await played.pass(200, true);
    played.emit({ type: 'tool.completed', data: call });
    played.writes(first);
    played.completes();
    await played.pass(200);
    played.recogniser.onFinal('Hello, are you still there?');
    await played.pass(1_000);
    expect(played.said).toEqual([]);
    expect(textsOf(played)).toEqual([
      'caller: Where is my parcel?',
      'bot: ',
      'caller: Hello, are you still there?',
    ]);
    await played.talk.close('stopped');
  });

  it('if its turn ended before it could be stopped', async () => {
    const played = await answering('');
    played.faults.stuckTurn = true;
    await played.pass(300, true);
    played.recogniser.onPartial('and also');
    played.writes(first + second);
    played.completes();
    await played.pass(200);
    played.recogniser.onFinal('And also the price.');
    await played.pass(1_000);
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', 'bot: ', 'caller: And also the price.']);
    await played.talk.close('stopped');
  });

  it('if the call was about to end', async () => {
    const played = await answering(`${first} `);
    await played.pass(4_000);
    played.talk.end('max_duration', goodbyeLimit);
    played.writes(second.trim());
    played.completes();
    await played.pass(6_000);
    expect(played.said).toEqual([first, goodbyeLimit]);
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', `bot: ${first}`, `bot: ${goodbyeLimit}`]);
  });
});

describe('a quotation', () => {
  const written = 'They wrote this to you:\n> We are closed today.\n> Come back tomorrow, please.';
  const stored = 'They wrote this to you:\nWe are closed today.\nCome back tomorrow, please.';
  const spoken = 'They wrote this to you: We are closed today. Come back tomorrow, please.';

  it.each([written.length, written.length - 12, 26])(
    'is said once and whole if %i characters of it arrive before the stored message',
    async (length) => {
      const played = await answering(written.slice(0, length));
      const message = { id: `reply of ${played.turnId}`, role: 'assistant', content: stored };
      const { turnId } = played;
      played.emit(
        { type: 'message.completed', turnId, data: { message: { ...message, interrupted: false } } },
        { type: 'turn.completed', turnId, data: { turn_id: turnId } },
      );
      await played.pass(6_000);
      expect(played.said.join(' ')).toBe(spoken);
      await played.talk.close('stopped');
    },
  );
});

describe('a reply that another one replaces', () => {
  it.each([
    [3_000, 'Your parcel left Cologne on Monday morning.'],
    [1_000, 'Your parcel left'],
  ])('is in the transcript as far as it was heard in %i ms', async (milliseconds, heard) => {
    const played = playTalk();
    await played.callerSays('Where is my parcel?');
    played.writes(`${first} And`, 'lost');
    await played.pass(500);
    played.retracts('lost');
    played.retracts('lost');
    await played.pass(milliseconds - 500);
    played.writes(second.trim(), 'other');
    played.recogniser.onFinal('Thank you.');
    await played.pass(1_000);
    expect(textsOf(played)).toEqual([
      'caller: Where is my parcel?',
      `bot: ${heard}`,
      'bot: ',
      'caller: Thank you.',
    ]);
    await played.talk.close('stopped');
  });
});

it("leaves replies alone that are not the talk's", async () => {
  const played = playTalk();
  const message = { id: 'x', role: 'assistant', content: 'Written elsewhere.', interrupted: false };
  played.transcript.push({ id: 'x', who: 'bot', text: message.content });
  played.emit({ type: 'message.completed', turnId: 'another', data: { message } });
  await played.pass(100);
  expect(textsOf(played)).toEqual(['bot: Written elsewhere.']);
  await played.talk.close('stopped');
});
