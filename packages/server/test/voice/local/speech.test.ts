import { findInstalledSpeech } from '@svc/local-speech/installed';
import { createRecogniser } from '@svc/local-speech/recogniser';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { phrases } from '../../../../local-speech/test/phrases.ts';
import { durationMs, frameBytes, silence } from '../../../src/voice/audio/format.ts';
import {
  createLocalSpeech,
  createLocalSpeechToText,
  recognitionQueue,
} from '../../../src/voice/speech/local/local-speech.ts';
import { SpeechFailed, type TranscriptEvents } from '../../../src/voice/speech/speech.ts';
import { patienceMs } from '../../support/patience.ts';
import { isFull } from '../../support/sample.ts';
import { speak, transcribe, wordsOf, wordsRight } from '../../support/voice/speech-files.ts';

const sentences = [
  'I would like to order a pizza with cheese and tomatoes, please.',
  'Can you tell me when my order will arrive?',
  'No, thank you, that is all for today.',
  'What are your opening hours on Saturday?',
  'Please cancel my appointment for next Tuesday morning.',
  'The weather in London is cold and rainy this week.',
];

const speech = createLocalSpeech({ log: { warn: vi.fn() } });
afterAll(() => speech.stop());

function record(): TranscriptEvents & { heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    onPartial: (text) => void heard.push(`partial ${text}`),
    onFinal: (text) => void heard.push(`final ${text}`),
    onEndOfSpeech: () => void heard.push('end of turn'),
    onFailure: (error) => void heard.push(`failure ${error.message}`),
  };
}

describe('speech without a key', () => {
  it('is installed', () => {
    expect(speech.installed).toMatchObject({ speaks: true, listens: true });
  });

  it.each([
    ['slt', isFull ? sentences : sentences.slice(0, 2)],
    ['rms', isFull ? sentences : sentences.slice(3, 5)],
  ])('understands most words that %s says on a telephone', async (voice, said) => {
    const audio: Buffer[] = [];
    for (const sentence of said) audio.push(await speak(speech, sentence, { voice }));
    const heard = await transcribe(speech, Buffer.concat(audio));
    expect(heard.length).toBeGreaterThanOrEqual(said.length);
    expect(wordsRight(said.join(' '), heard.join(' '))).toBeGreaterThan(0.8);
    // It invents hardly anything.
    expect(wordsOf(heard.join(' ')).length).toBeLessThan(wordsOf(said.join(' ')).length * 1.15);
  });

  it('understands a browser too', async () => {
    const format = 'pcm16-16000';
    const [sentence = ''] = sentences;
    const heard = await transcribe(speech, await speak(speech, sentence, { format }), format);
    expect(wordsRight(sentence, heard.join(' '))).toBeGreaterThan(0.8);
  });

  it('keeps calls apart that speak at the same time', async () => {
    const pair = [sentences[3] ?? '', sentences[5] ?? ''];
    const audio = await Promise.all(pair.map((sentence) => speak(speech, sentence)));
    const heard = await Promise.all(audio.map((call) => transcribe(speech, call)));
    for (const [index, sentence] of pair.entries()) {
      expect(wordsRight(sentence, heard[index]?.join(' ') ?? '')).toBeGreaterThan(0.7);
    }
  });

  it('tells when speech starts, what it understands so far, and the final text when asked', async () => {
    const events = record();
    let wasLate = false;
    const stream = speech.speechToText.open(
      { format: 'mulaw-8000' },
      {
        ...events,
        onFinal(text) {
          wasLate = stream.isLate;
          events.onFinal(text);
        },
      },
    );
    const audio = await speak(speech, sentences[1] ?? '', { afterMs: 0 });
    const length = frameBytes('mulaw-8000') * 50;
    for (let start = 0; start < audio.length; start += length) {
      stream.push(audio.subarray(start, start + length));
      await stream.idle();
    }
    expect(stream.isLate).toBe(false);
    stream.finish();
    await expect.poll(() => events.heard.at(-1)).toMatch(/^final /);
    stream.finish();
    await stream.idle();
    expect({ wasLate, isLate: stream.isLate }).toEqual({ wasLate: true, isLate: false });
    expect(events.heard.filter((event) => event.startsWith('partial')).length).toBeGreaterThan(0);
    expect(events.heard.filter((event) => event.startsWith('final'))).toHaveLength(1);
    expect(wordsRight(sentences[1] ?? '', events.heard.at(-1) ?? '')).toBeGreaterThan(0.7);
    stream.close();
    stream.push(audio);
    stream.close();
  });

  it('hears nothing in silence and noise', async () => {
    const noise = Buffer.from(
      Array.from(
        { length: 16_000 },
        (_value, index) => (index % 7 === 0 ? 0xef : 0x6f) ^ ((index * 2_654_435_761) >>> 29),
      ),
    );
    const audio = Buffer.concat([silence('mulaw-8000', 1_000), noise, silence('mulaw-8000', 1_000)]);
    expect(await transcribe(speech, audio)).toEqual([]);
  });
});

describe('a process that recognises and ends', () => {
  it('fails its streams, and the next one starts another', async () => {
    const { models } = speech.installed;
    if (!models) throw new Error('The model is not installed.');
    const broken = { ...models, encoder: `${models.encoder}.missing` };
    const recogniser = createRecogniser({ models: broken, runFairly: recognitionQueue() });
    const listening = createLocalSpeechToText({ recogniser, activity: speech.activity });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const streams = [record(), record()];
      for (const events of streams) {
        listening.open({ format: 'mulaw-8000' }, events).push(await speak(speech, 'Hello there.'));
      }
      for (const { heard } of streams) {
        await expect.poll(() => heard.at(-1)).toMatch(/^failure Speech recognition failed/);
        expect(heard.filter((event) => event.startsWith('failure'))).toHaveLength(1);
      }
    }
    recogniser.stop();
  });

  it('is said to be missing where it is not installed', async () => {
    const events = record();
    const listening = createLocalSpeechToText({ recogniser: undefined, activity: speech.activity });
    const stream = listening.open({ format: 'mulaw-8000' }, events);
    stream.push(await speak(speech, 'Hello there.'));
    await expect.poll(() => events.heard).toEqual([expect.stringContaining('npm run voice:install')]);
    stream.finish();
    const nowhere = { modelFolder: '/nowhere', programFolders: ['/nowhere'] };
    const missing = createLocalSpeech({ log: { warn: vi.fn() }, installed: findInstalledSpeech(nowhere) });
    const signal = AbortSignal.timeout(patienceMs);
    expect(await missing.textToSpeech.listVoices(signal)).toEqual([]);
    const saying = missing.textToSpeech.open({ format: 'mulaw-8000' }).say('hello', () => undefined, signal);
    await expect(saying).rejects.toThrow(SpeechFailed);
    await expect(saying).rejects.toThrow(/npm run voice:install/);
  });
});

describe('speaking', () => {
  const say = async (text: string, voice?: string, signal = AbortSignal.timeout(patienceMs)) => {
    const parts: Buffer[] = [];
    const speaker = speech.textToSpeech.open({ format: 'mulaw-8000', ...(voice && { voice }) });
    await speaker.say(text, (audio) => parts.push(audio), signal);
    return Buffer.concat(parts);
  };

  it('lists its voices', async () => {
    const voices = await speech.textToSpeech.listVoices(AbortSignal.timeout(patienceMs));
    expect(voices).toContainEqual({ id: 'slt', name: 'Susan', language: 'en-US', gender: 'female' });
  });

  it('speaks a language with a voice for it, and others with the first voice', async () => {
    const inLanguage = async (language: string) => {
      const parts: Buffer[] = [];
      const speaker = speech.textToSpeech.open({ format: 'mulaw-8000', language });
      await speaker.say('Guten Tag!', (audio) => parts.push(audio), AbortSignal.timeout(patienceMs));
      return Buffer.concat(parts);
    };
    expect((await inLanguage('de')).equals(await say('Guten Tag!', 'de'))).toBe(true);
    expect((await inLanguage('fi')).equals(await say('Guten Tag!', 'slt'))).toBe(true);
    expect(speech.textToSpeech.languages).toEqual(expect.arrayContaining(['en', 'de', 'es', 'fr']));
  });

  it('lists the voices of every program, in the same order wherever they are found', async () => {
    const listed = await speech.textToSpeech.listVoices(AbortSignal.timeout(patienceMs));
    expect(listed.map(({ id }) => id)).toEqual(
      'slt rms awb kal16 kal en-us en-gb de es fr-fr it nl pl pt-br'.split(' '),
    );
  });

  it('is understood to the last word', async () => {
    const plain = [
      'Your code is: 7',
      'That makes 42!',
      'Please note 100',
      'The number of your order is 2026.',
    ];
    const chosen = isFull ? phrases : plain;
    const short: string[] = [];
    for (const phrase of chosen) {
      const understood = (await transcribe(speech, await speak(speech, phrase))).join(' ');
      // Numbers are heard as one word or more.
      if (understood.split(/\s+/).length < phrase.split(' ').length) short.push(`${phrase} → ${understood}`);
    }
    expect(short.length, short.join('\n')).toBeLessThanOrEqual(chosen.length / 8);
  });

  it.each([
    '-o /tmp/stolen hello there',
    '--help',
    `"quotes" 'and' $(id) \`id\`; rm -rf /`,
    'nul\0in the middle',
    '<speak>tags</speak>',
    '/etc/passwd',
  ])('treats %j as a text', async (text) => {
    expect(durationMs('mulaw-8000', await say(text))).toBeGreaterThan(300);
  });

  it.each(['', '   ', '😀😀', '...', '\0'])('says nothing for %j', async (text) => {
    expect(await say(text)).toHaveLength(0);
  });

  it('passes a long text on piece by piece, and ends when aborted', async () => {
    const text = 'This is one of many sentences. '.repeat(330);
    const abort = new AbortController();
    const parts: Buffer[] = [];
    const speaker = speech.textToSpeech.open({ format: 'mulaw-8000' });
    const saying = speaker.say(
      text,
      (audio) => {
        parts.push(audio);
        if (parts.length === 2) abort.abort(new Error('barge-in'));
      },
      abort.signal,
    );
    await expect(saying).rejects.toThrow('barge-in');
    expect(parts).toHaveLength(2);
    // Other calls get their turn in between.
    for (const part of parts) expect(durationMs('mulaw-8000', part)).toBeLessThanOrEqual(200);
    await expect(say('too late', undefined, AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
  });

  it('fails for languages that it does not know', async () => {
    await expect(say('你好')).rejects.toThrow(/cannot speak the language/);
  });

  it('fails for voices that it does not have, and after it was closed', async () => {
    for (const voice of ['nobody', 'http://127.0.0.1/voice.flitevox', '../../etc/passwd']) {
      await expect(say('hello', voice)).rejects.toThrow(SpeechFailed);
    }
    const speaker = speech.textToSpeech.open({ format: 'mulaw-8000' });
    const signal = AbortSignal.timeout(patienceMs);
    const saying = speaker.say('This will not be finished. '.repeat(20), () => speaker.close(), signal);
    await expect(saying).rejects.toThrow(SpeechFailed);
    await expect(speaker.say('hello', () => undefined, signal)).rejects.toThrow(SpeechFailed);
  });
});
