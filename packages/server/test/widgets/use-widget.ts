import type { VisitorToken } from '@svc/contract/widget-visitor';
import type { WidgetKey } from '@svc/contract/widgets';
import { expect } from 'vitest';
import { openSse, type SseReader } from '../support/sse-client.ts';
import type { Answer, Call, CallOptions } from '../support/test-app.ts';

export const shop = 'https://shop.example.com';

interface Place {
  url: string;
  call: Call;
}

/** A bot with a widget key for pages of the shop. */
export async function createWidget(
  { call }: Place,
  { bot = {}, key = {} }: { bot?: object; key?: object } = {},
): Promise<WidgetKey> {
  const created = await call('POST /api/v1/bots', {
    body: { name: 'Shop help', system_prompt: 'Be kind.', ...bot },
  });
  expect(created).toMatchObject({ status: 201 });
  return createWidgetKey({ call }, created.body.id, key);
}

export async function createWidgetKey(
  { call }: Pick<Place, 'call'>,
  botId: string,
  fields: object = {},
): Promise<WidgetKey> {
  const body = { bot_id: botId, name: 'Shop', allowed_domains: ['shop.example.com'], ...fields };
  const answer = await call('POST /api/v1/widgets/keys', { body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

export interface PageOptions extends Omit<CallOptions, 'key'> {
  token?: string;
}

/** A page with a widget, as its requests reach the service. */
export interface Page {
  call(operation: string, options?: PageOptions): Promise<Answer>;
  /** A token for a new visitor, unless the body says otherwise. */
  issueToken(body?: object): Promise<VisitorToken>;
  /** Opens a stream by GET, or by POST if there is a body. */
  open(path: string, options: PageOptions): Promise<SseReader>;
  /** Sends a message and waits for the end of its turn. Returns its conversation. */
  say(token: string, message?: object, headers?: Record<string, string>): Promise<string>;
}

export function openPage({ url, call }: Place, apiKey: string, origin: string | null = shop): Page {
  const withKey = (path: string) => `${path}${path.includes('?') ? '&' : '?'}key=${apiKey}`;
  const own = origin === null ? {} : { origin };

  const page: Page = {
    call(operation, { token, headers, ...options } = {}) {
      return call(withKey(operation), { key: token ?? null, headers: { ...own, ...headers }, ...options });
    },
    async issueToken(body = {}) {
      const answer = await page.call('POST /api/widget/token', { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body;
    },
    open(path, { token, body, headers }) {
      return openSse(url + withKey(path), {
        method: body === undefined ? 'GET' : 'POST',
        ...(token !== undefined && { key: token }),
        ...(body !== undefined && { body }),
        headers: { ...own, ...headers },
      });
    },
    async say(token, message = {}, headers = {}) {
      const body = { message: 'Hello', ...message };
      const sent = await page.open('/api/widget/messages', { token, body, headers });
      const { events } = await sent.ended();
      return events.find(({ event }) => event === 'turn.started')?.data.conversation_id;
    },
  };
  return page;
}
