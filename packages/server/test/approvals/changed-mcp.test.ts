import { beforeEach, describe, expect, it } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import { chatWith } from '../support/chat.ts';
import { startFakeMcpServer } from '../support/mcp-server.ts';
import { type RefundBot, resolvedIn } from '../support/refund-shop.ts';
import { useRefundDesk } from './use-refund-desk.ts';

const place = useRefundDesk();
const { desk } = place;
const chat = chatWith(() => place.service);
let bot: RefundBot;

beforeEach(async () => {
  bot = await desk.makeBot();
});

async function assign(assignments: object[]): Promise<void> {
  const body = { bot_id: bot.botId, assignments };
  expect(await place.service.call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
}
const toldModel = () => JSON.stringify(place.scripted.requests.at(-1)?.body['messages']);

describe('a function of an MCP server', () => {
  const schema = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });

  async function pausedOnServer() {
    const server = await startFakeMcpServer();
    server.tools = [
      { name: 'echo', inputSchema: schema('title') },
      { name: 'other', inputSchema: schema('title') },
    ];
    const tool = await place.service.call('POST /api/v1/tools', {
      body: {
        tool_type: 'mcp',
        name: 'Desk',
        description: 'x',
        configuration: { url: server.url, approval: 'always' },
      },
    });
    await assign([{ tool_type: 'mcp', tool_configuration_id: tool.body.id }]);
    place.scripted.enqueue([toolCall('Desk_echo', { title: 'a' })], [text('Well.')]);
    const turn = await chat.say({ bot_id: bot.botId });
    expect(turn.last.event).toBe('turn.paused');
    const approve = () => desk.respond(turn.last.data.approval_ids[0], { action: 'approve' });
    return { server, turn, approve, toolId: tool.body.id as string };
  }

  it('is shown with its own name and its server', async () => {
    const { server, turn } = await pausedOnServer();
    const { body } = await place.service.call(`GET /api/v1/hitl/${turn.last.data.approval_ids[0]}`);
    expect(body.context.summary).toBe(`echo of ${server.url}\n{"title":"a"}`);
    await server.stop();
  });

  it('runs when nothing changed, though the tool was renamed', async () => {
    const { server, turn, approve, toolId } = await pausedOnServer();
    await place.service.call(`PUT /api/v1/tools/${toolId}`, { body: { name: 'Counter' } });
    expect((await approve()).status).toBe(200);
    await desk.ending(turn);
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
    await server.stop();
  });

  it.each([
    ['takes other arguments', [{ name: 'echo', inputSchema: schema('heading') }]],
    ['is gone', [{ name: 'other', inputSchema: schema('title') }]],
  ])('does not run when it %s by now', async (_how, tools) => {
    const { server, turn, approve } = await pausedOnServer();
    // The service is not notified, and caches the server's list for a while.
    server.tools = tools;
    expect((await approve()).status).toBe(200);
    const events = await desk.ending(turn);
    expect(resolvedIn(events).map(({ status }) => status)).toEqual(['approved', 'expired']);
    expect(server.asked).not.toContain('tools/call');
    await server.stop();
  });

  it('is not retried on a new session if it has changed there', async () => {
    const { server, turn, approve } = await pausedOnServer();
    const ran: unknown[] = [];
    server.onCall = ({ params }) => {
      ran.push(params);
      return { content: [] };
    };
    // The server is replaced by its next version between the listing and the call.
    server.intercept = ({ method }) => {
      if (method === 'tools/call' && ran.length === 0) {
        server.tools = [{ name: 'echo', inputSchema: schema('heading') }];
        server.intercept = () => false;
        server.forgetSessions();
      }
      return false;
    };
    expect((await approve()).status).toBe(200);
    const events = await desk.ending(turn);
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(ran).toEqual([]);
    expect(events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('error');
    expect(toldModel()).toContain('changed this tool');
    await server.stop();
  });

  it('is retried on a new session if it is the same there', async () => {
    const { server, turn, approve } = await pausedOnServer();
    server.intercept = ({ method }) => {
      if (method === 'tools/call') {
        server.intercept = () => false;
        server.forgetSessions();
      }
      return false;
    };
    expect((await approve()).status).toBe(200);
    const events = await desk.ending(turn);
    expect(events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('ok');
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(2);
    await server.stop();
  });

  it('is reported as unavailable, not as changed, when the server is down', async () => {
    const { server, turn, approve } = await pausedOnServer();
    server.intercept = (_message, response) => {
      response.writeHead(503).end();
      return true;
    };
    expect((await approve()).status).toBe(200);
    const events = await desk.ending(turn);
    expect(resolvedIn(events).map(({ status }) => status)).toEqual(['approved']);
    expect(events.find(({ event }) => event === 'tool.completed')?.data.status).toBe('error');
    await server.stop();
  });
});
