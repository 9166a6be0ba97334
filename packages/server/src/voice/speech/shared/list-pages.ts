import type { TrustedLane } from '../../../egress/trusted-lane.ts';
import { SpeechFailed, type Voice } from '../speech.ts';
import { type JsonObject, readJson } from './read-json.ts';
import { type ProviderName, refusalOf } from './refusal.ts';

const maxPages = 50;
const maxVoices = 5_000;
const maxPageBytes = 4 * 1024 * 1024;

export interface VoicePage {
  voices: Voice[];
  /** Where the next page is; left out on the last one. */
  next?: URL;
}

/** Follows the pages of a provider's list of voices, as far as can be reasonable. */
export async function listPages(options: {
  name: ProviderName;
  lane: Pick<TrustedLane, 'fetch'>;
  first: URL;
  headers: Record<string, string>;
  read: (page: JsonObject, url: URL) => VoicePage | undefined;
  signal: AbortSignal;
}): Promise<Voice[]> {
  const { name, lane, headers, signal } = options;
  const found = new Map<string, Voice>();
  let url: URL | undefined = options.first;
  for (let pages = 0; url && pages < maxPages && found.size < maxVoices; pages += 1) {
    const response = await lane.fetch(url, { headers, signal }).catch((error: unknown) => {
      throw new SpeechFailed(`${name.label} could not be reached.`, { cause: error });
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw refusalOf(name, response.status);
    }
    const json = readJson(await readBounded(response, name.label));
    const page: VoicePage | undefined = json && options.read(json, url);
    if (!page) throw new SpeechFailed(`${name.label} sent a list of voices that cannot be read.`);
    const before = found.size;
    for (const voice of page.voices) found.set(voice.id, voice);
    // A page without anything new would be followed for ever.
    url = found.size > before ? page.next : undefined;
  }
  return [...found.values()].slice(0, maxVoices);
}

async function readBounded(response: Response, label: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxPageBytes) break;
    }
  } catch (error) {
    throw new SpeechFailed(`${label} stopped in the middle of its answer.`, { cause: error });
  }
  if (size > maxPageBytes) throw new SpeechFailed(`${label} sent a list of voices that is too long.`);
  return Buffer.concat(chunks).toString();
}
