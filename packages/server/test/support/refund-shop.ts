import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { text, toolCalls } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { chatWith, type SaidTurn } from './chat.ts';
import type { SseEvent } from './sse-client.ts';
import type { Answer, Call } from './test-app.ts';

export interface Refund {
  order: number;
  amount: number;
}

/** A shop that carries out refunds and records them. */
export interface Shop {
  url: string;
  refunds: { path: string; authorization: string | undefined; refund: Refund }[];
  /** The Idempotency-Key of every request, whichever test sent it. */
  idempotencyKeys: Set<unknown>;
  close(): void;
}

export async function startShop(): Promise<Shop> {
  const shop: Shop = { url: '', refunds: [], idempotencyKeys: new Set(), close: () => server.close() };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { url: path = '', headers } = request;
      shop.refunds.push({ path, authorization: headers.authorization, refund: JSON.parse(body) });
      shop.idempotencyKeys.add(headers['idempotency-key']);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"refunded":true}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  shop.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return shop;
}

export const refund: Refund = { order: 17, amount: 12.5 };

export const refundConfiguration = (shop: Shop) => ({
  method: 'POST',
  url: `${shop.url}/refunds`,
  auth_type: 'bearer',
  body_type: 'json',
  body: { order: '{{order}}', amount: '{{amount}}' },
  parameters: {
    type: 'object',
    properties: { order: { type: 'integer' }, amount: { type: 'number', maximum: 100 } },
    required: ['order', 'amount'],
    additionalProperties: false,
  },
  approval: 'always',
});

export interface RefundBot {
  botId: string;
  toolId: string;
}

/** A service with a bot that asks before it refunds. */
export interface RefundDesk {
  makeBot(settings?: object, configuration?: object): Promise<RefundBot>;
  /** A turn that waits for as many approvals as there are refunds. */
  pause(
    bot: Pick<RefundBot, 'botId'>,
    refunds?: object[],
    functionName?: string,
  ): Promise<SaidTurn & { approvalIds: string[] }>;
  respond(approvalId: string, body: object): Promise<Answer>;
  /** The events after the pause, to the end of the turn. */
  ending(turn: SaidTurn): Promise<SseEvent[]>;
}

export const secretToken = 'tok-canary-31f7';

export function refundDesk(
  service: () => { url: string; key: string; call: Call },
  shop: () => Shop,
  scripted: () => ScriptedModel,
): RefundDesk {
  const chat = chatWith(service);
  return {
    async makeBot(settings = {}, more = {}) {
      const botId = await chat.bot(settings);
      const configuration = { ...refundConfiguration(shop()), bearer_token: secretToken, ...more };
      const tool = await service().call('POST /api/v1/tools', {
        body: { tool_type: 'http_request', name: 'refund', description: 'Refunds an order.', configuration },
      });
      expect(tool).toMatchObject({ status: 201 });
      const assignments = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
      const body = { bot_id: botId, assignments };
      expect(await service().call('POST /api/v1/tools/assign', { body })).toMatchObject({ status: 200 });
      return { botId, toolId: tool.body.id };
    },
    async pause({ botId }, refunds = [refund], functionName = 'refund') {
      const calls = refunds.map((given) => ({ name: functionName, arguments: { ...given } }));
      // The answer depends on the conversation alone, because other turns may be running.
      scripted().respondWith(({ body }) => {
        const messages = body['messages'] as { role: string }[];
        const isAnswered = messages.some(({ role }) => role === 'tool');
        return isAnswered ? [text('Done as you wished.')] : [toolCalls(calls)];
      });
      const turn = await chat.say({ bot_id: botId, message: 'Please refund order 17.' });
      expect(turn.last.event).toBe('turn.paused');
      return { ...turn, approvalIds: turn.last.data.approval_ids };
    },
    respond: (approvalId, body) => service().call(`POST /api/v1/hitl/${approvalId}/respond`, { body }),
    async ending(turn) {
      const reader = await chat.listen(turn.conversationId, { after: turn.last.id ?? 0 });
      await reader.until(({ event }) => /^turn\.(completed|failed|interrupted)$/.test(event));
      reader.close();
      return reader.events;
    },
  };
}

/** The approvals that were resolved, as the events report them. */
export function resolvedIn(events: readonly SseEvent[]) {
  return events.filter(({ event }) => event === 'approval.resolved').map(({ data }) => data.approval);
}
