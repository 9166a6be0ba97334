import { describe, expect, it } from 'vitest';
import { englishTexts as ofPanel } from '../../../widget/src/panel/texts.ts';
import { englishVoiceTexts } from '../../../widget/src/voice/texts.ts';
import { translations } from '../../src/widgets/texts/texts-for.ts';

const englishTexts = { ...ofPanel, ...englishVoiceTexts };
const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted();

describe.each(Object.entries(translations))('the texts in %s', (_language, translation) => {
  it('are those of the widget, none missing and none left over', () => {
    expect(Object.keys(translation.texts).toSorted()).toEqual(Object.keys(englishTexts).toSorted());
  });

  it('have the same placeholders', () => {
    for (const [key, text] of Object.entries(englishTexts))
      expect.soft(placeholdersOf(translation.texts[key] ?? ''), key).toEqual(placeholdersOf(text));
  });
});
