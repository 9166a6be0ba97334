import { afterEach, describe, expect, it } from 'vitest';
import { phrasesIn } from '../../../src/voice/talk/phrases.ts';
import { endPlaying, first, msPerCharacter, playTalk, second, textsOf } from './hand-played-talk.ts';

const { oneMoment, thanksForWaiting, stillChecking, beingChecked } = phrasesIn('en');
const call = { tool_call_id: 'a', tool_name: 'lookup', tool_type: 'http_request' };

afterEach(endPlaying);

describe('a caller who keeps talking while the model thinks', () => {
  it('is not talked over, and everything is answered', async () => {
    const played = playTalk();
    await played.callerSays('Where is my parcel?');
    await played.pass(300, true);
    // The reply comes before the words.
    played.writes(first);
    played.writes(second);
    await played.pass(300, true);
    expect(played.playedMs).toBe(0);
    played.recogniser.onPartial('the big one');
    await played.pass(300);
    played.recogniser.onFinal('The big one.');
    await played.pass(1_000);
    expect(played.asked).toEqual(['Where is my parcel?', 'stop', 'The big one.']);
    expect(played.playedMs).toBe(0);
    // Nothing of the first reply was heard.
    expect(textsOf(played)).toEqual(['caller: Where is my parcel?', 'bot: ', 'caller: The big one.']);
    await played.talk.close('stopped');
  });

  it('is answered after a tool, and the reply that they did not wait for is dropped', async () => {
    const played = playTalk('', { during: true, after: false });
    await played.callerSays('Where is my parcel?');
    played.emit({ type: 'tool.started', data: call });
    await played.callerSays('And hurry up.');
    expect(played.asked).toEqual(['Where is my parcel?']);
    await played.pass(1_000);
    expect(played.said.filter((text) => text === oneMoment)).toHaveLength(1);
    played.emit({ type: 'tool.completed', data: call });
    played.writes(first);
    played.completes();
    expect(played.asked).toEqual(['Where is my parcel?']);
    await played.pass(20);
    expect(played.asked).toEqual(['Where is my parcel?', 'And hurry up.']);
    await played.talk.close('stopped');
  });

  it('finds everything in the transcript in the order in which it was heard', async () => {
    const played = playTalk('', { during: true, after: true });
    await played.callerSays('Where is my parcel?');
    played.emit({ type: 'tool.started', data: call });
    await played.pass(700);
    // The reply is there before the caller has heard what comes first.
    played.emit({ type: 'tool.completed', data: call });
    await played.pass(20);
    played.writes(first);
    played.completes();
    await played.pass(8_000);
    expect(textsOf(played)).toEqual([
      'caller: Where is my parcel?',
      `bot: ${oneMoment}`,
      `bot: ${thanksForWaiting}`,
      `bot: ${first}`,
    ]);
    expect(played.said).toEqual([oneMoment, thanksForWaiting, first]);
    // It was heard when the two phrases before it were over.
    const beforeMs = (oneMoment + thanksForWaiting).length * msPerCharacter;
    expect(played.times[0]?.speechMs).toBeGreaterThan(beforeMs - 200);
    await played.talk.close('stopped');
  });

  it('hears that a request is being checked, once at a time', async () => {
    const played = playTalk();
    await played.callerSays('Please cancel it.');
    played.emit({ type: 'turn.paused', data: { turn_id: played.turnId } });
    await played.pass(8_000);
    await played.callerSays('Are you there?');
    await played.pass(25_000);
    expect(played.said).toEqual([beingChecked, stillChecking, stillChecking]);
    played.emit({ type: 'turn.resumed', data: { turn_id: played.turnId } });
    played.writes(first);
    played.completes();
    await played.pass(20);
    expect(played.asked).toEqual(['Please cancel it.', 'Are you there?']);
    await played.talk.close('stopped');
  });

  it('is not thanked for waiting while they speak', async () => {
    const played = playTalk('', { during: false, after: true });
    await played.callerSays('Where is my parcel?');
    played.emit({ type: 'tool.started', data: call });
    await played.pass(500, true);
    played.recogniser.onPartial('and could you');
    played.emit({ type: 'tool.completed', data: call });
    await played.pass(500);
    expect(played.said).toEqual([]);
    played.recogniser.onPartial('');
    played.emit({ type: 'tool.started', data: call }, { type: 'tool.completed', data: call });
    expect(played.said).toEqual([thanksForWaiting]);
    await played.talk.close('stopped');
  });

  it('hears that a request is being checked when they stop speaking', async () => {
    const played = playTalk();
    await played.callerSays('Please cancel it.');
    await played.pass(300, true);
    played.emit({ type: 'turn.paused', data: { turn_id: played.turnId } });
    await played.pass(700, true);
    played.recogniser.onPartial('and please');
    await played.pass(500);
    expect(played.said).toEqual([]);
    played.recogniser.onFinal('And please be quick.');
    await played.pass(500);
    expect(played.said).toEqual([beingChecked]);
    await played.pass(22_000);
    expect(played.said).toEqual([beingChecked, stillChecking]);
    await played.talk.close('stopped');
  });

  it('hears it on a noisy line too', async () => {
    const played = playTalk();
    await played.callerSays('Please cancel it.');
    await played.pass(300, true);
    played.emit({ type: 'turn.paused', data: { turn_id: played.turnId } });
    await played.pass(9_000, true);
    expect(played.said).toEqual([]);
    await played.pass(2_000, true);
    expect(played.said).toEqual([beingChecked]);
    await played.talk.close('stopped');
  });
});
