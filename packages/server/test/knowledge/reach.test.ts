import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { fewer } from '../support/sample.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EmbeddingsServer, startEmbeddingsServer } from './embeddings-server.ts';
import { knowledgeOf } from './user.ts';

let embeddings: EmbeddingsServer;
let service: TestApp;
beforeAll(async () => {
  embeddings = await startEmbeddingsServer();
  service = await startTestApp({ environment: embeddings.environment });
});
afterAll(async () => {
  await service.stop();
  await embeddings.close();
});

async function workspace() {
  const { id, key } = await service.makeWorkspace();
  return {
    id,
    user: knowledgeOf(() => service, key),
    call: (operation: string, options = {}) => service.call(operation, { key, ...options }),
    makeBot: async () => {
      const body = { name: 'x', system_prompt: 'x' };
      return (await service.call('POST /api/v1/bots', { key, body })).body.id as string;
    },
  };
}

/** The bots whose flag does not match their sources. */
async function wrongBots(workspaceId: string): Promise<unknown[]> {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select id, has_knowledge from bots where workspace_id = ${workspaceId} and has_knowledge is distinct from exists (
      select from knowledge k where k.workspace_id = bots.workspace_id and k.status = 'active'
        and (k.bot_id = bots.id or k.bot_id is null))`,
  );
  return rows;
}

async function flagOf(botId: string): Promise<unknown> {
  const { rows } = await service.database.acrossWorkspaces.execute(
    sql`select has_knowledge from bots where id = ${botId}`,
  );
  return rows[0]?.['has_knowledge'];
}

it('a bot knows whether it has knowledge, its own or that of all bots', async () => {
  const { user, call, makeBot } = await workspace();
  const [one, two] = [await makeBot(), await makeBot()];
  const flags = async () => [await flagOf(one), await flagOf(two)];
  expect(await flags()).toEqual([false, false]);
  const own = await user.addText('x', { bot_id: one });
  expect(await flags()).toEqual([true, false]);
  const shared = await user.addText('x');
  expect(await flags()).toEqual([true, true]);
  expect(await flagOf(await makeBot())).toBe(true);
  await call(`DELETE /api/v1/knowledge/${own}`);
  expect(await flags()).toEqual([true, true]);
  await call(`DELETE /api/v1/knowledge/${shared}?type=hard`);
  expect(await flags()).toEqual([false, false]);
  await call(`POST /api/v1/knowledge/${own}/restore`);
  expect(await flags()).toEqual([true, false]);
  expect(await flagOf(await makeBot())).toBe(false);
});

it('the flag is correct after concurrent changes', async () => {
  const { id, user, call, makeBot } = await workspace();
  const bots = [await makeBot(), await makeBot()];
  for (let round = 0; round < fewer(15); round += 1) {
    const [shared, own] = [await user.addText('x'), await user.addText('x', { bot_id: bots[0] })];
    const answers = await Promise.all([
      call(`DELETE /api/v1/knowledge/${shared}`),
      call(`DELETE /api/v1/knowledge/${own}?type=hard`),
      call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } }),
      user.addText('x', { bot_id: bots[1] }).then((added) => call(`DELETE /api/v1/knowledge/${added}`)),
      user.addText('x').then((added) => call(`DELETE /api/v1/knowledge/${added}?type=hard`)),
      call('POST /api/v1/bots', { body: { name: 'y', system_prompt: 'y' } }),
      call(`POST /api/v1/knowledge/${shared}/restore`),
    ]);
    for (const { status } of answers) expect(status).toBeLessThan(300);
    expect(await wrongBots(id)).toEqual([]);
    await call(`DELETE /api/v1/knowledge/${shared}`);
    expect(await wrongBots(id)).toEqual([]);
  }
});
