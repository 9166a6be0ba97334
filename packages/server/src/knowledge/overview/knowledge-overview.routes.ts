import { IdParams } from '@svc/contract/common';
import {
  ExplainedSearch,
  KnowledgeOverview,
  KnowledgeSource,
  KnowledgeSourceQuery,
  PassageQuery,
  SourcePassages,
} from '@svc/contract/console-knowledge';
import { KnowledgeSearch } from '@svc/contract/knowledge';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { linkToNextPage } from '../../http/link-to-next-page.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/knowledge';

export function knowledgeOverviewRoutes(
  app: HttpApp,
  {
    knowledge,
    knowledgeOverview,
    publicUrl,
    idempotent,
  }: Pick<Services, 'idempotent' | 'knowledge' | 'knowledgeOverview' | 'publicUrl'>,
): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'listKnowledgeSources',
      summary: 'List sources of knowledge without their texts, newest first',
      description: 'The `Link` header leads to the next page while there is one.',
      schema: { querystring: KnowledgeSourceQuery, response: { 200: Type.Array(KnowledgeSource) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { sources, next } = await knowledgeOverview.list(workspaceOf(request), request.query);
      if (next) linkToNextPage(reply, `${publicUrl}${path}`, { ...request.query, before: next });
      return sources;
    },
  );

  app.get(
    `${path}/overview`,
    operation({
      ability: 'session',
      id: 'getKnowledgeOverview',
      summary: 'Count sources and passages, and see how they are searched',
      schema: { response: { 200: KnowledgeOverview } },
    }),
    (request) => knowledgeOverview.count(workspaceOf(request)),
  );

  app.get(
    `${path}/:id`,
    operation({
      ability: 'session',
      id: 'getKnowledgeSource',
      summary: 'Read a source of knowledge without its text, even if it was deleted',
      schema: { params: IdParams, response: { 200: KnowledgeSource } },
    }),
    (request) => knowledgeOverview.get(workspaceOf(request), request.params.id),
  );

  app.get(
    `${path}/:id/passages`,
    operation({
      ability: 'session',
      id: 'listPassages',
      summary: "List a source's passages in the order of its text",
      description: '`passage` starts a little above that passage.',
      schema: { params: IdParams, querystring: PassageQuery, response: { 200: SourcePassages } },
    }),
    (request) => knowledgeOverview.passages(workspaceOf(request), request.params.id, request.query),
  );

  app.post(
    `${path}/search`,
    operation({
      ability: 'session',
      id: 'explainKnowledgeSearch',
      summary: 'See which passages bots would find, and why',
      schema: { body: KnowledgeSearch, response: { 200: ExplainedSearch } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) =>
      idempotent<ExplainedSearch>(request, () => knowledge.explainFully(workspaceOf(request), request.body)),
  );
}
