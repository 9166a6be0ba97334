import pg from 'pg';
import { vi } from 'vitest';

interface Asked {
  client: pg.Client;
  text: string;
  values: string;
}

/**
 * The transactions of this process that mention one of these ids while `work` runs; a single statement is one too.
 * Background work mentions none of them.
 */
export async function transactionsNaming(work: () => Promise<readonly string[]>): Promise<string[][]> {
  const asked: Asked[] = [];
  const query = vi.spyOn(pg.Client.prototype, 'query');
  let ids: readonly string[];
  try {
    ids = await work();
    for (const [index, [question, values]] of query.mock.calls.entries()) {
      const { text, values: inside }: pg.QueryConfig =
        typeof question === 'string' ? { text: question } : question;
      const client = query.mock.contexts[index] as pg.Client;
      asked.push({ client, text, values: JSON.stringify(values ?? inside ?? []) });
    }
  } finally {
    query.mockRestore();
  }
  const all: Asked[][] = [];
  const open = new Map<pg.Client, Asked[]>();
  for (const one of asked) {
    if (one.text === 'begin') open.set(one.client, []);
    const transaction = open.get(one.client);
    if (transaction) transaction.push(one);
    else all.push([one]);
    if (!transaction || (one.text !== 'commit' && one.text !== 'rollback')) continue;
    all.push(transaction);
    open.delete(one.client);
  }
  return all
    .filter((transaction) => transaction.some(({ values }) => ids.some((id) => values.includes(id))))
    .map((transaction) => transaction.map(({ text }) => text));
}
