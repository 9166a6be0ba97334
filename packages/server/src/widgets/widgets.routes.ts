import { IdParams, Message } from '@svc/contract/common';
import {
  EmbedCode,
  EmbedCodeQuery,
  IdentitySecret,
  WidgetBotQuery,
  WidgetCustomization,
  WidgetCustomizationUpdate,
  WidgetKey,
  WidgetKeyCreate,
  WidgetKeyUpdate,
  WidgetSummary,
} from '@svc/contract/widgets';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operation } from '../http/operation.ts';
import type { Services } from '../services.ts';

const tag = 'Widgets';
const path = '/api/v1/widgets';

export type WidgetRouteDependencies = Pick<
  Services,
  'customizations' | 'idempotent' | 'sendList' | 'widgets'
>;

export function widgetRoutes(app: HttpApp, dependencies: WidgetRouteDependencies): void {
  keyRoutes(app, dependencies);
  identityRoutes(app, dependencies);
  lookRoutes(app, dependencies);
}

function keyRoutes(app: HttpApp, { widgets, idempotent, sendList }: WidgetRouteDependencies): void {
  app.get(
    '/api/console/widgets',
    operation({
      ability: 'session',
      tag: 'Console',
      id: 'listWidgets',
      summary: 'List the bots that have widget keys, and where they were last used',
      schema: { response: { 200: Type.Array(WidgetSummary) } },
    }),
    (request) => widgets.summarize(workspaceOf(request)),
  );

  app.get(
    `${path}/keys`,
    operation({
      ability: 'widgets:read',
      tag,
      id: 'listWidgetKeys',
      summary: "List a bot's widget keys, oldest first",
      description: 'Revoked ones too, with `is_active: false`. Test keys are not listed.',
      schema: { querystring: WidgetBotQuery, response: { 200: Type.Array(WidgetKey) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => sendList(reply, await widgets.list(workspaceOf(request), request.query.bot_id)),
  );

  app.post(
    `${path}/keys`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'createWidgetKey',
      summary: 'Create a widget key',
      description:
        'The key is public: it stands in the HTML of pages, and works only on those of `allowed_domains`. Besides `rate_limit_per_hour`, a visitor is limited by `visitor_messages_per_hour` and `visitor_usd_per_day`, even if they are left out; and every key by 100 new visitors per hour from one network, and for calls with the microphone by 15 minutes each, one at a time for a visitor and 20 for the bot.',
      schema: { body: WidgetKeyCreate, response: { 201: WidgetKey } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<WidgetKey>(request, (record) =>
        widgets.create(workspaceOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.post(
    `${path}/test-key`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'getTestWidgetKey',
      summary: "Get a bot's test key",
      description:
        "For trying the widget on the service's own page `/widget/preview`. Every request for the same bot gets the same key, which is valid for 24 hours from then on.",
      schema: { querystring: WidgetBotQuery, response: { 200: WidgetKey } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) =>
      idempotent<WidgetKey>(request, (record) =>
        widgets.putTestKey(workspaceOf(request), request.query.bot_id, record),
      ),
  );

  app.patch(
    `${path}/keys/:id`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'updateWidgetKey',
      summary: 'Change a widget key',
      description:
        'Only the given fields change. Pages of a domain that was removed can no longer use the key, and their streams end.',
      schema: { params: IdParams, body: WidgetKeyUpdate, response: { 200: WidgetKey } },
    }),
    (request) => widgets.update(workspaceOf(request), request.params.id, request.body),
  );

  app.delete(
    `${path}/keys/:id`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'revokeWidgetKey',
      summary: 'Revoke a widget key',
      description:
        'It stops working immediately, on every node and on open streams; a repeat changes nothing. It stays in the list.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await widgets.revoke(workspaceOf(request), request.params.id);
      return { message: 'The key was revoked.' };
    },
  );
}

function identityRoutes(app: HttpApp, { widgets, idempotent }: WidgetRouteDependencies): void {
  app.post(
    `${path}/keys/:id/identity-secret`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'createIdentitySecret',
      summary: 'Create the identity secret of a widget key',
      description:
        'With it your server signs the ids of your users, so that no visitor can claim the history of another. It is shown this one time and replaces an earlier one.',
      schema: { params: IdParams, response: { 201: IdentitySecret } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<IdentitySecret>(request, (record) =>
        widgets.createIdentitySecret(principalOf(request), request.params.id, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.delete(
    `${path}/keys/:id/identity-secret`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'deleteIdentitySecret',
      summary: 'Remove the identity secret of a widget key',
      description: 'Visitors of its pages are anonymous from then on; a repeat changes nothing.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await widgets.deleteIdentitySecret(workspaceOf(request), request.params.id);
      return { message: 'The identity secret was removed.' };
    },
  );
}

function lookRoutes(app: HttpApp, { widgets, customizations }: WidgetRouteDependencies): void {
  app.get(
    `${path}/customization`,
    operation({
      ability: 'widgets:read',
      tag,
      id: 'getWidgetCustomization',
      summary: "Read how a bot's widget looks",
      schema: { querystring: WidgetBotQuery, response: { 200: WidgetCustomization } },
      errors: ['NOT_FOUND'],
    }),
    (request) => customizations.get(workspaceOf(request), request.query.bot_id),
  );

  app.put(
    `${path}/customization`,
    operation({
      ability: 'widgets:write',
      tag,
      id: 'updateWidgetCustomization',
      summary: "Change how a bot's widget looks",
      description: 'Only the given fields change. Open pages show the change within a minute.',
      schema: { body: WidgetCustomizationUpdate, response: { 200: WidgetCustomization } },
      errors: ['NOT_FOUND'],
    }),
    (request) => customizations.put(workspaceOf(request), request.body),
  );

  app.get(
    `${path}/embed-code`,
    operation({
      ability: 'widgets:read',
      tag,
      id: 'getEmbedCode',
      summary: 'The HTML that puts the widget on a page',
      schema: { querystring: EmbedCodeQuery, response: { 200: EmbedCode } },
      errors: ['NOT_FOUND'],
    }),
    (request) => widgets.embedCode(workspaceOf(request), request.query.bot_id, request.query.api_key_id),
  );
}
