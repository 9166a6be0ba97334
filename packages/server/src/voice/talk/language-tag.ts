/** Languages that people name in their own words; others are recognised by their tags. */
const known =
  'en de fr es it pt nl pl tr ru uk cs sk hu ro bg el sv da nb fi et lv lt sl hr sr ar he fa hi ur bn th vi id ms ja ko zh';

const tagsByName = new Map(
  known.split(' ').flatMap((tag) => {
    // As in "German" and "Deutsch".
    const names = ['en', tag].map((reader) => new Intl.DisplayNames([reader], { type: 'language' }).of(tag));
    return names.map((name) => [name?.toLowerCase(), tag] as const);
  }),
);

/** The tag of a language as bots name it, such as `de` for "German (formal)", "Deutsch" or "de-AT"; undefined if it is unclear. */
export function languageTag(named: string | undefined): string | undefined {
  const first =
    named
      ?.trim()
      .toLowerCase()
      .split(/[\s,;/(_-]/u)[0] ?? '';
  return tagsByName.get(first) ?? (known.split(' ').includes(first) ? first : undefined);
}

/** The name of a language in English. */
export function languageName(tag: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
}

/** Whether something for these languages is good for this one; without a list it is good for most. */
export function covers(languages: readonly string[] | undefined, tag: string | undefined): boolean {
  return languages === undefined || tag === undefined || languages.includes(tag);
}
