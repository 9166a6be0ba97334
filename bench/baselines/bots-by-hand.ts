import { createHash, randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';

/** The minimal cost of the two bot routes: two statements each by hand, no validation, no documents, no events. */
const pool = new pg.Pool({ max: 20 });
const app = fastify();

async function workspaceOf(authorization = ''): Promise<string> {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
  const { rows } = await pool.query<{ workspace_id: string }>(
    'select workspace_id from account_keys where hash = $1 and revoked_at is null',
    [hash],
  );
  const [key] = rows;
  if (!key) throw new Error('The key is not known.');
  return key.workspace_id;
}

app.get('/healthz', () => ({ status: 'ok' }));

app.get<{ Params: { id: string } }>('/api/v1/bots/:id', async (request) => {
  const workspaceId = await workspaceOf(request.headers.authorization);
  const { rows } = await pool.query<object>('select * from bots where id = $1 and workspace_id = $2', [
    request.params.id,
    workspaceId,
  ]);
  return rows[0];
});

app.post<{ Body: { name: string; system_prompt: string; model: string; metadata: object } }>(
  '/api/v1/bots',
  async (request, reply) => {
    const workspaceId = await workspaceOf(request.headers.authorization);
    const id = randomUUID();
    const { name, system_prompt: systemPrompt, model, metadata } = request.body;
    await pool.query(
      'insert into bots (id, workspace_id, name, system_prompt, settings, metadata) values ($1, $2, $3, $4, $5, $6)',
      [id, workspaceId, name, systemPrompt, { model }, metadata],
    );
    return reply.code(201).send({ id });
  },
);

await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
