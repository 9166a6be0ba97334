import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { dutch } from './dutch.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { hebrew } from './hebrew.ts';
import { italian } from './italian.ts';
import { japanese } from './japanese.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { spanish } from './spanish.ts';
import type { Translation } from './translation.ts';
import { turkish } from './turkish.ts';

/** By ISO 639-1 code; English is built into the widget. */
export const translations: Readonly<Record<string, Translation>> = {
  ar: arabic,
  de: german,
  es: spanish,
  fr: french,
  he: hebrew,
  it: italian,
  ja: japanese,
  nl: dutch,
  pl: polish,
  pt: portuguese,
  tr: turkish,
  zh: chinese,
};

/** Browsers still use the old code of Hebrew. */
const oldCodes: Readonly<Record<string, string>> = { iw: 'he' };

/** The texts for a page's language, such as `pt-BR`; undefined for English and for languages that we do not have. */
export function textsFor(language: string | undefined): Translation | undefined {
  const code = language?.toLowerCase().split(/[-_]/, 1)[0] ?? '';
  const name = oldCodes[code] ?? code;
  return Object.hasOwn(translations, name) ? translations[name] : undefined;
}
