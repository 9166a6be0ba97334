import type { Answer, Call, TestApp } from './test-app.ts';

export interface WidgetPage {
  /** A request of a page with this key: `GET /api/widget/look`, with an `Origin` unless it is null. */
  ask(
    operation: string,
    options?: { origin?: string | null; query?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<Answer>;
}

export async function createBot(call: Call, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Helper', system_prompt: 'Help.', ...fields };
  return (await call('POST /api/v1/bots', { body })).body.id;
}

export async function createWidgetKey(
  call: Call,
  botId: string,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; api_key: string; allowed_domains: string[] }> {
  const body = { bot_id: botId, name: 'Shop', allowed_domains: ['shop.example.com'], ...fields };
  const answer = await call('POST /api/v1/widgets/keys', { body });
  if (answer.status !== 201) throw new Error(`No widget key: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** What a browser does on a page of `https://shop.example.com`. */
export function openPage({ call }: Pick<TestApp, 'call'>, key: string): WidgetPage {
  return {
    ask(operation, { origin = 'https://shop.example.com', query = {}, headers = {} } = {}) {
      const [method, path] = operation.split(' ');
      const parameters = new URLSearchParams({ key, ...query });
      return call(`${method} ${path}?${parameters}`, {
        key: null,
        headers: { ...(origin !== null && { origin }), ...headers },
      });
    },
  };
}
