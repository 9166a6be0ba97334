import type { VoicePage } from '../shared/list-pages.ts';
import { asObject, type JsonObject, textOf } from '../shared/read-json.ts';

const pageSize = 100;

export function firstElevenLabsPage(baseUrl: string): URL {
  return new URL(`${baseUrl}/v2/voices?page_size=${pageSize}&include_total_count=false`);
}

/** A page of GET /v2/voices. */
export function readElevenLabsPage(page: JsonObject, url: URL): VoicePage | undefined {
  if (!Array.isArray(page['voices'])) return undefined;
  const voices = page['voices'].flatMap((entry) => {
    const voice = asObject(entry) ?? {};
    const labels = asObject(voice['labels']) ?? {};
    const id = textOf(voice['voice_id']);
    if (id === undefined) return [];
    const name = textOf(voice['name']) ?? id;
    return {
      id,
      name,
      language: textOf(labels['language']) ?? null,
      gender: textOf(labels['gender']) ?? null,
    };
  });
  const token = textOf(page['next_page_token']);
  if (page['has_more'] !== true || token === undefined) return { voices };
  const next = new URL(url);
  next.searchParams.set('next_page_token', token);
  return { voices, next };
}
