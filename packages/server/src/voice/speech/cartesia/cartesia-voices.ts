import type { VoicePage } from '../shared/list-pages.ts';
import { asObject, type JsonObject, textOf } from '../shared/read-json.ts';

const pageSize = 100;

export function firstCartesiaPage(baseUrl: string): URL {
  return new URL(`${baseUrl}/voices?limit=${pageSize}`);
}

const genders: Record<string, string> = {
  masculine: 'male',
  feminine: 'female',
  gender_neutral: 'neutral',
};

/** A page of GET /voices. Where it does not say whether more follow, the last page is the empty one. */
export function readCartesiaPage(page: JsonObject, url: URL): VoicePage | undefined {
  if (!Array.isArray(page['data'])) return undefined;
  const voices = page['data'].flatMap((entry) => {
    const voice = asObject(entry) ?? {};
    const id = textOf(voice['id']);
    if (id === undefined) return [];
    const gender = textOf(voice['gender']);
    return {
      id,
      name: textOf(voice['name']) ?? id,
      language: textOf(voice['language']) ?? null,
      gender: gender === undefined ? null : (genders[gender] ?? gender),
    };
  });
  const last = voices.at(-1);
  if (page['has_more'] === false || !last) return { voices };
  const next = new URL(url);
  next.searchParams.set('starting_after', last.id);
  return { voices, next };
}
