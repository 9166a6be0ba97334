import type { Answer, Call } from '../support/test-app.ts';
import { openPage, shop } from './use-widget.ts';

interface AskOptions {
  /** That of the shop if left out; null for none. */
  origin?: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Sends requests with one key from pages of any origin. */
export function createAsk(service: { url: string; call: Call }, apiKey: string) {
  return (operation: string, { origin = shop, query = {}, headers = {} }: AskOptions = {}): Promise<Answer> =>
    openPage(service, apiKey, origin).call(`${operation}?${new URLSearchParams(query)}`, { headers });
}

export async function createBot(call: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Helper', system_prompt: 'Help.', ...fields };
  return (await call('POST /api/v1/bots', { body })).body.id;
}
