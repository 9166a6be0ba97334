import { describe, expect, it } from 'vitest';
import { speakableText } from './speakable-text.ts';

describe('what can be spoken', () => {
  it.each([
    ['Hello, how are you?', 'Hello, how are you?'],
    ['  two\n\n lines\t', 'two lines'],
    ['nul\0and\u001bescape', 'nul and escape'],
    ['Café “Zoë” – it’s naïve…', 'Cafe "Zoe" , it\'s naive...'],
    ['5 € & 20 °C', '5 euros and 20 degrees C'],
    ['Fine 👍🏽 thanks 👨‍👩‍👧 🇩🇪', 'Fine thanks'],
    ['Straße ①', 'Strasse 1'],
    ['broken \ud83d half', 'broken half'],
  ])('%j', (text, expected) => {
    expect(speakableText(text, 'ascii')).toBe(expected);
  });

  it('keeps the letters that the program knows', () => {
    expect(speakableText('Über 5 € 😀 für dich', 'unicode')).toBe('Über 5 euros für dich');
    expect(speakableText('你好', 'unicode')).toBe('你好');
  });

  it.each(['', '  \n', '😀😀', '...', '?!', '\0', '你好'])('is nothing for %j', (text) => {
    expect(speakableText(text, 'ascii')).toBe('');
  });
});
