import type { Service } from '../chat/stage.ts';

export interface Caps {
  max_messages_per_hour?: number;
  max_usd_per_day?: string;
}

/** The headers with which a new visitor sends messages from a page. */
export async function issueToken(
  { url, key }: Pick<Service, 'url' | 'key'>,
  caps: Caps = {},
): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/api/v1/end-user-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ external_user_id: crypto.randomUUID(), expires_in: 86_400, ...caps }),
  });
  if (!answer.ok) throw new Error(`No token was issued: ${await answer.text()}`);
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}
