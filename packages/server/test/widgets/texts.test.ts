import { describe, expect, it } from 'vitest';
import { englishActionTexts } from '../../../widget/src/actions/texts.ts';
import { englishFileTexts } from '../../../widget/src/files/texts.ts';
import { englishFormTexts } from '../../../widget/src/form/texts.ts';
import { englishHistoryTexts } from '../../../widget/src/history/texts.ts';
import * as launcherTexts from '../../../widget/src/loader/texts.ts';
import { englishTexts as ofPanel } from '../../../widget/src/panel/texts.ts';
import { englishTeaserTexts } from '../../../widget/src/teaser/texts.ts';
import { englishVoiceTexts } from '../../../widget/src/voice/texts.ts';
import { translations } from '../../src/widgets/texts/texts-for.ts';

const englishTexts = {
  ...launcherTexts,
  ...ofPanel,
  ...englishVoiceTexts,
  ...englishFormTexts,
  ...englishActionTexts,
  ...englishFileTexts,
  ...englishHistoryTexts,
  ...englishTeaserTexts,
};
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
