import {
  BotVersion,
  BotVersionDetail,
  Restored,
  VersionParams,
  VersionQuery,
} from '@svc/contract/bot-versions';
import { IdParams } from '@svc/contract/common';
import { Type } from 'typebox';
import { principalOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { linkToNextPage } from '../../http/link-to-next-page.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Bots');
const path = '/api/v1/bots/:id/versions';

export function botVersionRoutes(
  app: HttpApp,
  { versions, publicUrl, idempotent }: Pick<Services, 'idempotent' | 'publicUrl' | 'versions'>,
): void {
  app.get(
    path,
    operation({
      ability: 'bots:read',
      id: 'listBotVersions',
      summary: "List the versions of a bot's configuration, newest first",
      description:
        'Every save that changes the configuration is kept: creating, changing, switching the model, assigning tools, restoring. Status and metadata are not part of it. The `Link` header leads to the next page while there is one.',
      schema: { params: IdParams, querystring: VersionQuery, response: { 200: Type.Array(BotVersion) } },
    }),
    async (request, reply) => {
      const { query, params } = request;
      const page = await versions.list(workspaceOf(request), params.id, query);
      const address = `${publicUrl}${path.replace(':id', params.id)}`;
      if (page.next) linkToNextPage(reply, address, { ...query, before: page.next });
      return page.versions;
    },
  );

  app.get(
    `${path}/:number`,
    operation({
      ability: 'bots:read',
      id: 'getBotVersion',
      summary: 'Read a version with its whole configuration',
      schema: { params: VersionParams, response: { 200: BotVersionDetail } },
    }),
    (request) => {
      const { id, number } = request.params;
      return versions.get(workspaceOf(request), id, Number(number));
    },
  );

  app.post(
    `${path}/:number/restore`,
    operation({
      ability: 'bots:write',
      id: 'restoreBotVersion',
      summary: 'Make a version current again',
      description:
        "The bot's whole configuration becomes that of the version, its tools included, and is kept as a new version; status and metadata stay. When it can no longer be so, for instance because a tool was deleted, nothing changes and `details` names what is in the way. Restoring what is current already makes no version. Where `approval_notice` would change, or the bot gets a tool that acts without approval, the key also needs the ability `approvals:write`; where its tools would change, `tools:write`.",
      schema: { params: VersionParams, response: { 200: Restored } },
      errors: ['VERSION_UNUSABLE', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    (request) => {
      const author = principalOf(request);
      const place = { botId: request.params.id, number: Number(request.params.number) };
      return idempotent<Restored>(request, (record) =>
        versions.restore(author.workspaceId, author, place, record),
      );
    },
  );
}
