import { randomInt } from 'node:crypto';
import type { MeasuredService } from '../support/start-service.ts';

/** A number that leads to a bot of its own. */
export async function createNumber(service: MeasuredService, bot: Record<string, unknown>): Promise<string> {
  const { id } = await post(service, '/bots', {
    name: 'Phone',
    system_prompt: 'You answer the phone.',
    voice_greeting: 'Hello, this is Acme.',
    ...bot,
  });
  const number = `+4930${randomInt(1_000_000, 9_999_999)}`;
  await post(service, '/voice/numbers', { phone_number: number, bot_id: id });
  return number;
}

async function post(
  { url, key }: MeasuredService,
  path: string,
  body: Record<string, unknown>,
): Promise<{ id: string }> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as { id: string };
}
