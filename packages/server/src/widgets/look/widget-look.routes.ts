import { createHash } from 'node:crypto';
import type { BotSettings } from '@svc/contract/bots';
import { AvatarQuery, LookQuery, WidgetLook } from '@svc/contract/widget-visitor';
import { Type } from 'typebox';
import { widgetOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import { notFound } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import { textsFor } from '../texts/texts-for.ts';
import { lookOf } from './look.ts';

const operation = operationsOf('Widgets');

export interface LookRouteDependencies extends Pick<Services, 'avatars' | 'clock' | 'publicUrl' | 'widgets'> {
  /** True, or why the bot cannot hear or speak. */
  isVoiceAvailable(settings: BotSettings): true | string;
}

/** What a page needs before its visitor has written anything. */
export function lookRoutes(app: HttpApp, dependencies: LookRouteDependencies): void {
  const { widgets, avatars, clock, publicUrl, isVoiceAvailable } = dependencies;

  app.get(
    '/api/widget/look',
    operation({
      ability: 'widget_key',
      id: 'getWidgetLook',
      summary: 'How the widget of a page looks',
      schema: { querystring: LookQuery, response: { 200: WidgetLook, 304: Type.Null() } },
      errors: ['BOT_INACTIVE'],
    }),
    async (request, reply) => {
      const { workspaceId, keyId } = widgetOf(request);
      const found = await widgets.getFull(workspaceId, keyId);
      const look = lookOf(found, {
        avatarUrl: avatarAddress(found.key.apiKey, found.look?.avatarUrl),
        hasVoice: !!found.look?.voiceEnabled && isVoiceAvailable(found.bot.settings) === true,
        translation: textsFor(request.query.language),
        now: clock.now(),
      });
      const etag = `"${shortHash(JSON.stringify(look))}"`;
      reply.headers({ 'cache-control': 'max-age=60', etag });
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send(null);
      return reply.send(look);
    },
  );

  app.get(
    '/api/widget/avatar',
    operation({
      ability: 'widget_key',
      id: 'getWidgetAvatar',
      summary: 'The picture of the widget of a page',
      description: 'PNG, JPEG, GIF or WebP, at most 512 KB.',
      produces: 'image/*',
      schema: { querystring: AvatarQuery, response: { 200: Type.Unsafe<Buffer>({ format: 'binary' }) } },
      errors: ['NOT_FOUND', 'BOT_INACTIVE'],
    }),
    async (request, reply) => {
      const { workspaceId, keyId } = widgetOf(request);
      const { look } = await widgets.getFull(workspaceId, keyId);
      const avatar = look?.avatarUrl ? await avatars.get(look.avatarUrl) : undefined;
      if (!avatar) throw notFound();
      return reply
        .headers({
          'cache-control': 'max-age=3600',
          'cross-origin-resource-policy': 'cross-origin',
        })
        .type(avatar.type)
        .send(avatar.bytes);
    },
  );

  /** Another picture has another address, because browsers keep pictures for an hour. */
  function avatarAddress(apiKey: string, url: string | null | undefined): string | null {
    if (!url) return null;
    const query = new URLSearchParams({ key: apiKey, version: shortHash(url) });
    return `${publicUrl}/api/widget/avatar?${query}`;
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
