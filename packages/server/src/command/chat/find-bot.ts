import { validate as isUuid } from 'uuid';
import type { ApiClient } from './api-client.ts';
import { ServiceRefused } from './service-errors.ts';

export interface FoundBot {
  id: string;
  name: string;
}

/** By id, or by exact name; if several have the name, the active one. */
export async function findBot(
  client: Pick<ApiClient, 'listBots' | 'getBot'>,
  wanted: string,
): Promise<FoundBot> {
  if (isUuid(wanted)) return getBot(client, wanted);
  const bots = await client.listBots();
  const named = bots.filter(({ name }) => name === wanted);
  const active = named.filter(({ status }) => status === 'active');
  const [found, another] = active.length > 0 ? active : named;
  if (!found) {
    const names = bots.slice(0, 10).map(({ name }) => name);
    const others = names.length > 0 ? ` There are: ${names.join(', ')}.` : '';
    throw new Error(`There is no bot named "${wanted}".${others}`);
  }
  if (another) {
    throw new Error(
      `Several bots are named "${wanted}": give an id. ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  return found;
}

/** A key may be allowed to chat with bots but not to read them. */
async function getBot(client: Pick<ApiClient, 'getBot'>, id: string): Promise<FoundBot> {
  try {
    return await client.getBot(id);
  } catch (error) {
    if (!(error instanceof ServiceRefused)) throw error;
    if (error.code === 'FORBIDDEN') return { id, name: id };
    if (error.code === 'NOT_FOUND') throw new Error(`There is no bot with the id ${id}.`, { cause: error });
    throw error;
  }
}
