import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { serveRelay } from './relay.ts';

/** The minimal chat server that stores its messages: the relay, and one row each for the message and the reply. */
const pool = new pg.Pool({ max: 20 });
await pool.query(`create table if not exists bench_relay_messages (
  id uuid primary key, conversation_id uuid not null, role text not null, content text not null,
  created_at timestamptz not null default now()
)`);

async function keep(conversation: string, role: string, content: string): Promise<void> {
  await pool.query({
    name: 'keep',
    text: 'insert into bench_relay_messages (id, conversation_id, role, content) values ($1, $2, $3, $4)',
    values: [randomUUID(), conversation, role, content],
  });
}

serveRelay(process.env['MODEL_URL'] ?? '', Number(process.env['PORT']), {
  async before({ message }) {
    const conversation = randomUUID();
    await keep(conversation, 'user', message);
    return conversation;
  },
  after: (conversation, reply) => keep(conversation, 'assistant', reply),
});
