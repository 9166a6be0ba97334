import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/lib/app-error.ts';
import { SpeechFailed } from '../../../src/voice/speech/speech.ts';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { answering, endPlaying, first, playTalk, second, textsOf } from './hand-played-talk.ts';

const { oneMoment, stillThere, goodbyeLimit, goodbyeSilence, sorry, sorryGoodbye } = phrasesIn('en');

afterEach(endPlaying);

describe('a turn that fails', () => {
  it('leaves only what was said, and the caller is asked to repeat it', async () => {
    const played = await answering(`${first} It arr`);
    played.fails();
    await played.pass(6_000);
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', `bot: ${first}`, `bot: ${sorry}`]);
    await played.talk.close('stopped');
  });

  it('does not lose what was said meanwhile', async () => {
    const played = playTalk();
    played.faults.stuckTurn = true;
    await played.callerSays('Where is my parcel?');
    await played.callerSays('The big one.');
    played.fails();
    await played.pass(100);
    expect(played.asked).toEqual(['Where is my parcel?', 'stop', 'The big one.']);
    await played.talk.close('stopped');
  });

  it('three times ends the call', async () => {
    const played = playTalk();
    played.faults.beginning = new AppError('NOT_FOUND');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await played.callerSays('Hello there.');
      await played.pass(6_000);
    }
    expect(played.end.reason).toBe('bot_failed');
    expect(played.said).toEqual([sorry, sorry, sorryGoodbye]);
    expect(played.transcript.filter(({ who }) => who === 'caller')).toHaveLength(3);
  });
});

describe('the end of a call', () => {
  it('keeps what was said and never answered', async () => {
    const played = playTalk('', { during: true, after: false });
    played.faults.stuckTurn = true;
    await played.callerSays('Where is my parcel?');
    await played.callerSays('The big one.');
    played.line.onDigit('4');
    played.line.onDigit('7');
    played.recogniser.onPartial('and by');
    const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };
    played.emit({ type: 'tool.started', data: call });
    played.line.onEnd({ cause: 'remote_hangup' });
    await played.pass(100);
    expect(textsOf(played)).toEqual([
      'caller: Where is my parcel?',
      'caller: The big one.',
      'caller: **** [keypad:1]',
      'caller: and by',
    ]);
    expect(played.end.reason).toBe('caller_hung_up');
    expect(played.times).toHaveLength(1);
  });

  it('is known at once, before the transcript is complete', async () => {
    const played = await answering();
    played.faults.slowStopMs = 4_000;
    played.line.onEnd({ cause: 'remote_hangup' });
    expect(played.end).toEqual({ isOver: true });
    await played.pass(4_100);
    expect(played.end.reason).toBe('caller_hung_up');
  });

  it('leaves nothing behind if the turn is paused just then', async () => {
    const played = await answering('');
    Object.assign(played.faults, { slowStopMs: 1_000, stuckTurn: true });
    const closing = played.talk.close('stopped');
    played.emit({ type: 'turn.paused', data: { turn_id: played.turnId } });
    await played.pass(1_100);
    await closing;
    // The timers are counted after each test.
    expect(played.said).toEqual([]);
  });

  it('waits for the farewell, five seconds at most, and takes no more turns', async () => {
    const played = playTalk();
    await played.callerSays('Thank you, goodbye.');
    played.talk.end('bot_hung_up');
    played.writes('Goodbye, and thank you very much for calling us today! ');
    await played.callerSays('Wait a moment.');
    expect(played.end.reason).toBeUndefined();
    played.completes();
    await played.pass(4_000);
    expect(played.end.reason).toBe('bot_hung_up');
    expect(played.asked).toEqual(['Thank you, goodbye.']);
    expect(textsOf(played)).toContain('caller: Wait a moment.');
  });

  it('is the last that the bot says: nothing is written or said after the tool that hangs up', async () => {
    const played = playTalk();
    await played.callerSays('Thank you, goodbye.');
    const hangingUp = { tool_call_id: 'a', tool_name: 'end_call', tool_type: 'end_call' };
    played.writes('Goodbye, and thank you for calling! ');
    played.emit({ type: 'tool.started', data: hangingUp });
    played.talk.end('bot_hung_up');
    played.emit({ type: 'tool.completed', data: hangingUp });
    await played.pass(20);
    expect(played.asked).toEqual(['Thank you, goodbye.', 'stop']);
    played.writes('The call has ended. ', 'another message');
    await played.pass(4_000);
    expect(played.said).toEqual(['Goodbye, and thank you for calling!']);
    expect(played.end.reason).toBe('bot_hung_up');
    expect(textsOf(played).join()).not.toContain('has ended');
  });

  it('does not wait longer than five seconds for a farewell', async () => {
    const played = playTalk();
    await played.callerSays('Thank you, goodbye.');
    played.writes('Goodbye. '.repeat(30));
    played.talk.end('bot_hung_up');
    await played.pass(4_900);
    expect(played.end.reason).toBeUndefined();
    await played.pass(200);
    expect(played.end.reason).toBe('bot_hung_up');
  });

  it('does not come because a transfer fails', async () => {
    const played = await answering();
    const transfer = played.talk.transfer('+4930999');
    await played.pass(6_000);
    expect(await transfer).toBe(false);
    expect(played.end.reason).toBeUndefined();
    await played.talk.close('stopped');
  });

  it('comes at once, with the reason, when nothing can be said any more', async () => {
    const played = playTalk();
    await played.callerSays('Where is my parcel?');
    played.faults.speaking = new SpeechFailed('The speech service is down.');
    played.writes(first);
    played.writes(second);
    played.completes();
    await played.pass(100);
    expect(played.end).toEqual({
      isOver: true,
      reason: 'speech_failed',
      detail: 'The speech service is down.',
    });
    // It was not heard.
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', 'bot: ']);
  });

  it('comes with a farewell when nothing is understood any more', async () => {
    const played = playTalk('Hello.');
    await played.pass(100);
    played.recogniser.onFailure(new SpeechFailed('The recogniser is down.'));
    await played.pass(6_000);
    expect(played.end).toEqual({ isOver: true, reason: 'speech_failed', detail: 'The recogniser is down.' });
    expect(played.said.at(-1)).toBe(sorryGoodbye);
  });
});

describe('the reason for the end', () => {
  it.each(['insufficient_balance', 'max_duration', 'visitor_limit'] as const)(
    'is still %s if the caller hangs up during the farewell',
    async (reason) => {
      const played = playTalk('Hello.');
      await played.pass(1_000);
      played.talk.end(reason, goodbyeLimit);
      await played.pass(1_500);
      played.line.onEnd({ cause: 'remote_hangup', detail: 'BYE' });
      await played.pass(100);
      expect(played.end).toMatchObject({ reason, detail: undefined });
    },
  );

  it('is still the first one if speech fails during the farewell', async () => {
    const played = playTalk('Hello.');
    await played.pass(1_000);
    played.faults.speaking = new SpeechFailed('The speech service is down.');
    played.talk.end('max_duration', goodbyeLimit);
    await played.pass(100);
    expect(played.end).toMatchObject({ reason: 'max_duration', detail: undefined });
  });

  it('is still that nothing was understood, with the detail', async () => {
    const played = playTalk('Hello.');
    await played.pass(1_000);
    played.recogniser.onFailure(new SpeechFailed('The recogniser is down.'));
    await played.pass(500);
    played.line.onEnd({ cause: 'remote_hangup' });
    await played.pass(100);
    expect(played.end).toMatchObject({ reason: 'speech_failed', detail: 'The recogniser is down.' });
  });

  it('is that the bot has hung up, even if the caller is quicker, but not if they were passed on', async () => {
    for (const [cause, reason] of [
      ['remote_hangup', 'bot_hung_up'],
      ['transferred', 'transferred'],
    ] as const) {
      const played = await answering();
      played.talk.end('bot_hung_up');
      await played.pass(500);
      played.line.onEnd({ cause });
      await played.pass(100);
      expect(played.end.reason).toBe(reason);
    }
  });
});

describe('silence', () => {
  it('is asked about after ten seconds, and ends the call after ten more', async () => {
    const played = playTalk('Hello.');
    await played.pass(9_900);
    expect(played.said).toEqual(['Hello.']);
    await played.pass(2_000);
    expect(played.said).toEqual(['Hello.', stillThere]);
    await played.pass(16_000);
    expect(played.said.at(-1)).toBe(goodbyeSilence);
    expect(played.end.reason).toBe('silence');
  });

  it('is still silence after a cough, and on a noisy line', async () => {
    const played = playTalk('Hello.');
    await played.pass(3_000);
    await played.pass(300, true);
    await played.pass(10_500);
    expect(played.said).toEqual(['Hello.', stillThere]);
    await played.pass(40_000, true);
    expect(played.end.reason).toBe('silence');
  });

  it('is not silence while what was said is being recognised, unless that never ends', async () => {
    const played = playTalk('Hello.');
    await played.pass(3_000);
    await played.pass(2_000, true);
    played.faults.lateRecogniser = true;
    await played.pass(20_000);
    expect(played.said).toEqual(['Hello.', oneMoment, oneMoment]);
    played.recogniser.onFinal('Where is my parcel?');
    played.faults.lateRecogniser = false;
    await played.pass(1_000);
    expect(played.asked).toEqual(['Where is my parcel?']);
    played.completes();
    played.faults.lateRecogniser = true;
    await played.pass(75_000);
    expect(played.said.slice(3)).toEqual([stillThere, goodbyeSilence]);
    expect(played.end.reason).toBe('silence');
  });

  it('ends when the caller speaks', async () => {
    const played = playTalk('Hello.');
    await played.pass(11_500);
    await played.callerSays('Yes, I am here.');
    played.completes();
    await played.pass(11_000);
    expect(played.said).toEqual(['Hello.', stillThere, stillThere]);
    await played.talk.close('stopped');
  });
});
