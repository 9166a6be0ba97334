import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { newId } from '../../src/lib/new-id.ts';
import { type CommandKind, otherNodes } from '../../src/nodes/node-commands.ts';
import { type CommandNode, startCommandNode } from '../support/command-node.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const numbered: CommandKind<{ number: number }> = { name: 'numbered' };
const doubled: CommandKind<{ number: number }, { twice: number }> = { name: 'doubled' };

let store: TestDatabase;
let a: CommandNode;
let b: CommandNode;
let c: CommandNode;
beforeAll(async () => {
  store = await createTestDatabase();
  const start = () => startCommandNode(store.database);
  [a, b, c] = await Promise.all([start(), start(), start()]);
});
afterAll(async () => {
  await Promise.all([a.close(), b.close(), c.close()]);
  await store.drop();
});

async function countRows(): Promise<number> {
  const { rows } = await store.database.acrossWorkspaces.execute<{ count: number }>(
    'select count(*)::int as count from machine_messages',
  );
  return rows[0]?.count ?? 0;
}

/** What the node is told from now on. */
function hear(node: CommandNode): { numbers: number[]; stop(): void } {
  const numbers: number[] = [];
  return { numbers, stop: node.handle(numbered, ({ number }) => void numbers.push(number)) };
}

describe('commands from one node to another', () => {
  it('arrive once and in their order, and leave no row behind', async () => {
    const [sender, recipient, bystander] = [a, b, c];
    const [heard, overheard] = [hear(recipient), hear(bystander)];
    const sent = Array.from({ length: 100 }, (_, number) => number);
    for (const number of sent) sender.send(numbered, recipient.nodeId, { number });
    await expect.poll(() => heard.numbers.length).toBe(100);
    expect(heard.numbers).toEqual(sent);
    expect(overheard.numbers).toEqual([]);
    await expect.poll(countRows).toBe(0);
    heard.stop();
    overheard.stop();
  });

  it('are answered by the node that has carried them out', async () => {
    const [sender, recipient] = [a, b];
    const stop = recipient.handle(doubled, async ({ number }) => ({ twice: number * 2 }));
    const answers = [1, 2, 3].map((number) => sender.ask(doubled, recipient.nodeId, { number }, 60_000));
    expect(await Promise.all(answers)).toEqual([{ twice: 2 }, { twice: 4 }, { twice: 6 }]);
    stop();
  });

  it('are unanswered if the node fails, does not know the kind or is gone', async () => {
    const [sender, recipient, ignorant] = [a, b, c];
    const stop = recipient.handle(doubled, () => Promise.reject(new Error('It is broken.')));
    const withinMs = 300;
    const recipients = [recipient.nodeId, ignorant.nodeId, newId()];
    const asked = recipients.map((to) => sender.ask(doubled, to, { number: 1 }, withinMs));
    expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
    await expect.poll(() => recipient.logged.join()).toContain('It is broken.');
    await expect.poll(countRows).toBe(0);
    stop();
  });

  it('to all others reach every living node but the sender', async () => {
    const [sender, first, second] = [a, b, c];
    const heard = [sender, first, second].map(hear);
    const dead = newId();
    await store.database.acrossWorkspaces.execute(
      `insert into nodes (id, seen_at) values ('${dead}', now() - interval '1 hour')`,
    );
    sender.send(numbered, otherNodes, { number: 7 });
    await expect.poll(() => heard.map(({ numbers }) => numbers)).toEqual([[], [7], [7]]);
    await expect.poll(countRows).toBe(0);
    await store.database.acrossWorkspaces.execute(`delete from nodes where id = '${dead}'`);
    for (const { stop } of heard) stop();
  });

  it('wait for a node that does not listen at the moment', async () => {
    const [sender, recipient] = [a, b];
    const heard = hear(recipient);
    await store.database.acrossWorkspaces.execute(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'svc listener' and datname = current_database()`);
    sender.send(numbered, recipient.nodeId, { number: 8 });
    await expect.poll(() => heard.numbers).toEqual([8]);
    heard.stop();
  });

  it('are carried out once, even if the answer of the database was lost and they are stored again', async () => {
    const heard = hear(b);
    const payload = JSON.stringify({ id: newId(), kind: numbered.name, from: a.nodeId, number: 9 });
    for (let count = 0; count < 2; count += 1) {
      await store.database.acrossWorkspaces.execute(
        sql`insert into machine_messages (to_node, payload) values (${b.nodeId}, ${payload})`,
      );
      b.collect();
      await expect.poll(countRows).toBe(0);
    }
    expect(heard.numbers).toEqual([9]);
    heard.stop();
  });

  it('are removed after ten minutes if their node is lost', async () => {
    const addRow = (to: string, age: string) =>
      store.database.acrossWorkspaces.execute(`insert into machine_messages (to_node, payload, created_at)
        values ('${to}', '{}', now() - interval '${age}')`);
    await addRow(newId(), '11 minutes');
    await addRow(newId(), '5 minutes');
    await addRow(c.nodeId, '11 minutes');
    await a.removeLeft();
    expect(await countRows()).toBe(2);
    await store.database.acrossWorkspaces.execute('delete from machine_messages');
  });
});
