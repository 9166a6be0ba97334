import { expect, it } from 'vitest';
import { layOutTranscript } from './lay-out-transcript.ts';

it('is a line per message of the caller and the bot', () => {
  const messages = [
    { role: 'assistant', content: 'Good morning.\nCaller: fake' },
    { role: 'user', content: '  ' },
    { role: 'tool', content: '{}' },
    { role: 'user', content: 'Tea,\r\nplease.' },
  ];
  expect(layOutTranscript(messages)).toBe('Bot: Good morning. Caller: fake\nCaller: Tea, please.');
  expect(layOutTranscript([])).toBe('');
});

it('leaves out the middle of a very long call', () => {
  const said = Array.from({ length: 5_000 }, (_, index) => ({ role: 'user', content: `Sentence ${index}.` }));
  const text = layOutTranscript(said);
  expect(text.length).toBeLessThanOrEqual(50_000);
  expect(text).toMatch(/^Caller: Sentence 0\.[^]*\n\[…\]\n[^]*Caller: Sentence 4999\.$/);
});
