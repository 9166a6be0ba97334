import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { chatWith } from '../support/chat.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startNode, type TestNode } from '../support/test-node.ts';

let store: TestDatabase;
let node: TestNode;
let afterTransaction: () => Promise<unknown> = async () => undefined;
beforeAll(async () => {
  store = await createTestDatabase();
  const database: Database = {
    ...store.database,
    within(workspaceId) {
      const statements = store.database.within(workspaceId);
      return Object.assign(Object.create(statements), {
        async transaction(work: Parameters<typeof statements.transaction>[0]) {
          const result = await statements.transaction(work);
          await afterTransaction();
          return result;
        },
      });
    },
  };
  node = await startNode({ database });
});
afterAll(async () => {
  await node.stop(0);
  await store.drop();
});

it('a turn that ends just after its conversation was passed over does not save it', async () => {
  const chat = chatWith(() => node);
  const { conversationId: id } = await chat.say({ bot_id: await chat.bot(), external_user_id: 'u' });
  const set = (status: string) =>
    store.database.acrossWorkspaces.execute(
      sql`update conversations set status = ${status} where id = ${id}`,
    );
  await set('running');
  afterTransaction = () => set('idle');
  const answer = await node.call('DELETE /api/v1/end-users/u');
  expect(answer).toMatchObject({ status: 200, body: { deleted_conversations: 1 } });
  expect((await node.call(`GET /api/v1/conversations/${id}`)).status).toBe(404);
});
