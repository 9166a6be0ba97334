import type { Operation } from '../support/operations.ts';
import type { CallOptions, TestApp } from '../support/test-app.ts';

/** A page of the service itself, with a widget, its microphone, and a visitor. */
export interface OwnPage {
  widgetKey: string;
  visitorToken: string;
}

/** As browsers send it with the requests of such a page. */
export const ownPageHeaders = { 'sec-fetch-site': 'same-origin' };

export async function openOwnPage(service: Pick<TestApp, 'call'>): Promise<OwnPage> {
  const bot = await service.call('POST /api/v1/bots', { body: { name: 'Widget', system_prompt: 'x' } });
  const body = { bot_id: bot.body.id, name: 'own', allowed_domains: [], visitor_messages_per_hour: 10_000 };
  const widgetKey = (await service.call('POST /api/v1/widgets/keys', { body })).body.api_key;
  const look = { bot_id: bot.body.id, voice_enabled: true, attachments_enabled: true };
  await service.call('PUT /api/v1/widgets/customization', { body: look });
  const asked = { key: null, body: {}, headers: ownPageHeaders };
  const visitor = await service.call(`POST /api/widget/token?key=${widgetKey}`, asked);
  return { widgetKey, visitorToken: visitor.body.token };
}

export const isOfWidgets = ({ scheme }: Operation): boolean =>
  scheme === 'widget_key' || scheme === 'visitor_token';

/** What a request to an operation of widgets carries. */
export function pageOptions({ scheme }: Operation, { visitorToken }: OwnPage): CallOptions {
  return { key: scheme === 'visitor_token' ? visitorToken : null, headers: ownPageHeaders };
}

/** The path with this widget key in its query. */
export function withWidgetKey(path: string, widgetKey: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}key=${widgetKey}`;
}

export type OwnPages = ReturnType<typeof createOwnPages>;

/** What one visitor may always send within a minute. */
const requestsOfVisitor = 10;

/** A page for each path of widgets and some requests, because the requests of one visitor are limited. */
export function createOwnPages(call: TestApp['call']) {
  const pages = new Map<string, OwnPage & { left: number }>();
  return {
    /** Undefined for paths that are not of widgets. */
    async of(path: string): Promise<OwnPage | undefined> {
      const [name = ''] = path.split('?', 1);
      if (!name.startsWith('/api/widget/')) return undefined;
      const known = pages.get(name);
      const page =
        known && known.left > 0 ? known : { ...(await openOwnPage({ call })), left: requestsOfVisitor };
      page.left -= 1;
      pages.set(name, page);
      return page;
    },
  };
}
