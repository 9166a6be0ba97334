import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Member, makeMember } from '../support/members.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { openLive } from './support/live-client.ts';

let service: TestApp;
let shop: OutsideServer;
let operator: Member;
let viewer: Member;
/** What the shop was sent as Authorization. */
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  service = await startTestApp({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  shop = await startOutsideServer((request, response) => {
    seen.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ order: { place: 'Cologne' }, echo: request.headers.authorization }));
  });
  operator = await makeMember(service, { role: 'operator' });
  viewer = await makeMember(service, { role: 'viewer' });
});
afterAll(async () => {
  shop.close();
  await service.stop();
});

async function addText(title: string, content: string, more: object = {}): Promise<string> {
  const body = { content_type: 'text', title, content, ...more };
  const { id } = (await operator.call('POST /api/v1/knowledge', { body })).body;
  await expect
    .poll(async () => (await operator.call(`GET /api/console/knowledge/${id}`)).body.processing_status)
    .toBe('completed');
  return id;
}

const sections = (count: number) =>
  Array.from({ length: count }, (_, index) => `## Part ${index}\n\nThe parcel number ${index} waits.`);

describe('knowledge in the console', () => {
  it('is listed without its text, newest first, in pages', async () => {
    const ids = [await addText('Alpha hours', 'Open at nine.'), await addText('Beta hours', 'Open at ten.')];
    const first = await viewer.call('GET /api/console/knowledge?q=HOURS&limit=1');
    expect(first.body).toEqual([
      expect.objectContaining({ id: ids[1], title: 'Beta hours', passage_count: 1, bot_id: null }),
    ]);
    expect(first.body[0]).not.toHaveProperty('content');
    const next = /before=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await viewer.call(`GET /api/console/knowledge?q=HOURS&limit=1&before=${next}`);
    expect(second.body.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
    expect(second.headers.get('link')).toBeNull();
    const none = await viewer.call('GET /api/console/knowledge?q=hours&status=failed');
    expect(none.body).toEqual([]);
  });

  it('can be looked at after it was deleted, and is counted apart', async () => {
    const id = await addText('Gone', 'Soon gone.');
    const before = (await viewer.call('GET /api/console/knowledge/overview')).body;
    await operator.call(`DELETE /api/v1/knowledge/${id}`);
    const after = (await viewer.call('GET /api/console/knowledge/overview')).body;
    expect(after).toMatchObject({ active: before.active - 1, deleted: before.deleted + 1 });
    expect((await viewer.call(`GET /api/console/knowledge/${id}`)).body).toMatchObject({
      status: 'inactive',
      content_truncated: false,
    });
    const trash = (await viewer.call('GET /api/console/knowledge?deleted=true')).body;
    expect(trash.map((one: { id: string }) => one.id)).toContain(id);
  });

  it('has passages, which are found by position, by id and by how they begin', async () => {
    const id = await addText('Parcels', ['# Parcels', ...sections(12)].join('\n\n'));
    const path = `GET /api/console/knowledge/${id}/passages`;
    const all = (await viewer.call(path)).body;
    expect(all.total).toBe(12);
    expect(all.passages.map(({ position }: { position: number }) => position)).toEqual([
      ...Array.from({ length: 12 }).keys(),
    ]);
    expect(all.passages[3]).toMatchObject({
      heading_path: ['Parcels', 'Part 3'],
      content: 'The parcel number 3 waits.',
      is_embedded: expect.any(Boolean),
    });
    const page = (await viewer.call(`${path}?from=10&limit=5`)).body;
    expect(page.passages.map(({ position }: { position: number }) => position)).toEqual([10, 11]);
    const wanted = all.passages[8].id;
    for (const passage of [wanted, encodeURIComponent('The parcel number 8')]) {
      const found = (await viewer.call(`${path}?passage=${passage}&limit=6`)).body;
      expect(found).toMatchObject({ wanted, total: 12 });
      expect(found.passages.map((one: { position: number }) => one.position)).toEqual([3, 4, 5, 6, 7, 8]);
    }
    expect((await viewer.call(`${path}?passage=${randomUUID()}`)).body).toMatchObject({ wanted: null });
    for (const address of [`${path}?passage=%00`, 'GET /api/console/knowledge?q=%00'])
      expect((await viewer.call(address)).status, address).toBeLessThan(500);
  });

  it('is searched with the reasons, by viewers too', async () => {
    const id = await addText('Zebra policy', '# Zebra policy\n\n## Stripes\n\nZebras keep their stripes.');
    const answer = await viewer.call('POST /api/console/knowledge/search', {
      body: { query: 'zebra stripes policy' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.passages[0]).toMatchObject({
      knowledge_id: id,
      heading_path: ['Zebra policy', 'Stripes'],
      keyword_score: expect.any(Number),
      vector_score: expect.any(Number),
      passage_id: expect.any(String),
    });
  });

  it('is announced to consoles while it is read', async () => {
    const client = await openLive(service.url, viewer);
    const id = await addText('Announced', 'Soon.');
    await client.next({ type: 'changed', object: 'knowledge', id });
    client.socket.terminate();
  });

  it('of one bot is listed with that of every bot, and counted by how it went', async () => {
    const make = async (name: string) =>
      (await operator.call('POST /api/v1/bots', { body: { name, system_prompt: 'x' } })).body.id as string;
    const [bot, other] = [await make('One'), await make('Other')];
    const own = await addText('Of one bot', 'Its own.', { bot_id: bot });
    const shared = await addText('Of every bot', 'For all.');
    const listed = async (id: string) =>
      (await viewer.call(`GET /api/console/knowledge?bot_id=${id}&limit=2`)).body.map(
        (one: { id: string }) => one.id,
      );
    expect(await listed(bot)).toEqual([shared, own]);
    expect((await listed(other))[0]).toBe(shared);
    expect(await listed(other)).not.toContain(own);
    const before = (await viewer.call('GET /api/console/knowledge/overview')).body;
    const status = `case id when $1 then 'failed' else 'processing' end`;
    const update = `update knowledge set processing_status = ${status} where id in ($1, $2)`;
    await service.database.acrossWorkspaces.raw(update, [own, shared]);
    expect((await viewer.call('GET /api/console/knowledge/overview')).body).toMatchObject({
      active: before.active,
      failed: before.failed + 1,
      unfinished: before.unfinished + 1,
    });
  });

  it('of another workspace does not exist', async () => {
    const id = await addText('Ours', 'Only ours.');
    const { id: workspaceId } = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    expect((await stranger.call(`GET /api/console/knowledge/${id}`)).status).toBe(404);
    expect((await stranger.call(`GET /api/console/knowledge/${id}/passages`)).status).toBe(404);
    expect((await stranger.call('GET /api/console/knowledge')).body).toEqual([]);
    const body = { name: 'Theirs', system_prompt: 'x' };
    const bot = (await stranger.call('POST /api/v1/bots', { body })).body.id;
    const suggested = (await stranger.call(`GET /api/console/bots/${bot}/questions`)).body;
    expect(suggested).toEqual({ questions: [], is_ready: false });
  });
});

describe('a tool that is not saved', () => {
  const request = (change: object = {}) => ({
    tool_type: 'http_request',
    name: 'order_status',
    configuration: {
      url: `${shop.url}/orders/{{number}}`,
      parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      auth_type: 'bearer',
      ...change,
    },
  });
  const test = (body: object) =>
    operator.call('POST /api/console/tools/test', { body: { ...body, parameters: { number: '17' } } });

  async function save(): Promise<string> {
    const body = { ...request({ bearer_token: 'tok_of_the_shop' }), description: 'x' };
    return (await operator.call('POST /api/v1/tools', { body })).body.id;
  }

  it('runs for real and shows the request without its secret', async () => {
    const typed = { ...request({ bearer_token: 'tok_typed_now' }), name: 'never_saved' };
    const { status, body } = await test(typed);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      result: { status: 200, body: { order: { place: 'Cologne' } } },
      resolved_request: { method: 'GET', url: `${shop.url}/orders/17` },
    });
    expect(seen.at(-1)).toBe('Bearer tok_typed_now');
    expect(JSON.stringify(body)).not.toContain('tok_typed_now');
    expect(JSON.stringify(await operator.call('GET /api/v1/tools'))).not.toContain('never_saved');
  });

  it('uses the stored secret of the tool that it changes, for the same address only', async () => {
    const tool_id = await save();
    const changed = { ...request({ url: `${shop.url}/parcels/{{number}}` }), tool_id };
    expect((await test(changed)).body).toMatchObject({
      success: true,
      resolved_request: { url: `${shop.url}/parcels/17` },
    });
    expect(seen.at(-1)).toBe('Bearer tok_of_the_shop');

    const count = seen.length;
    const elsewhere = { ...request({ url: shop.url.replace('127.0.0.1', 'localhost') }), tool_id };
    const refused = await test(elsewhere);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [
          { path: 'configuration.bearer_token', message: 'must be sent again when the address changes' },
        ],
      },
    });
    expect(seen).toHaveLength(count);
    const functions = await operator.call('POST /api/console/tools/functions', { body: elsewhere });
    expect(functions.status).toBe(400);
    const { bearer_token: _none, ...rest } = { bearer_token: '', ...changed };
    expect((await test({ ...rest, tool_type: 'mcp' })).body.details[0].path).toBe('tool_type');
    expect((await test({ ...changed, tool_id: randomUUID() })).status).toBe(404);
  });

  it('reports what is wrong with it by field, and its failure with its request', async () => {
    expect((await test(request())).body.details[0]).toMatchObject({ path: 'configuration.bearer_token' });
    const unreachable = request({ url: 'http://10.1.2.3/x', auth_type: 'none' });
    expect((await test(unreachable)).body).toMatchObject({
      success: false,
      error: expect.any(String),
      resolved_request: { url: 'http://10.1.2.3/x' },
    });
  });

  it('says what a model would get', async () => {
    const body = request({ auth_type: 'none', approval: 'always' });
    const answer = await operator.call('POST /api/console/tools/functions', { body });
    expect(answer.body).toEqual([
      expect.objectContaining({ name: 'order_status', approval: 'always', parameters: expect.any(Object) }),
    ]);
  });

  it('is not for viewers', async () => {
    for (const path of ['test', 'functions', 'import']) {
      const answer = await viewer.call(`POST /api/console/tools/${path}`, { body: request() });
      expect(answer.status).toBe(403);
    }
  });

  it('has uses and dates of secrets once it is saved', async () => {
    const tool_id = await save();
    const bot = (await operator.call('POST /api/v1/bots', { body: { name: 'B', system_prompt: 'x' } })).body
      .id;
    const assignments = [{ tool_type: 'http_request', tool_configuration_id: tool_id }];
    await operator.call('POST /api/v1/tools/assign', { body: { bot_id: bot, assignments } });
    const uses = await viewer.call(`GET /api/console/tools/uses?tool_id=${tool_id}`);
    expect(uses.body).toEqual([
      {
        tool_id,
        bot_ids: [bot],
        hook_bot_ids: [],
        secrets: [{ field: 'bearer_token', set_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
      },
    ]);
    const { id: workspaceId } = await service.makeWorkspace();
    const stranger = await makeMember(service, { role: 'owner', workspaceId });
    expect((await stranger.call('GET /api/console/tools/uses')).body).toEqual([]);
    expect((await stranger.call(`GET /api/console/tools/uses?tool_id=${tool_id}`)).status).toBe(404);
  });
});

describe('an OpenAPI document', () => {
  const importing = (body: object) => operator.call('POST /api/console/tools/import', { body });
  const documentation = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://shop.example.com' }],
    paths: {
      '/orders': { get: { operationId: 'list_orders' }, post: { operationId: 'create_order' } },
    },
  });

  it('becomes drafts without a model; calls that are not GET ask first', async () => {
    const { status, body } = await importing({ documentation });
    expect(status).toBe(200);
    expect(
      body.tools.map((tool: { name: string; configuration: { approval: string } }) => [
        tool.name,
        tool.configuration.approval,
      ]),
    ).toEqual([
      ['list_orders', 'never'],
      ['create_order', 'always'],
    ]);
  });

  it('must be one', async () => {
    expect(await importing({ documentation: 'Our API is simple.' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'documentation' }] },
    });
    expect((await importing({})).status).toBe(400);
  });
});
