import type { MeasuredService } from '../support/start-service.ts';

/** A plain bot without tools that asks the model of this name. */
export async function createBot({ url, key }: MeasuredService, model: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/bots`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: model, system_prompt: 'You help.', model: `openai/${model}` }),
  });
  if (!answer.ok) throw new Error(`No bot was created: ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: string };
  return id;
}
