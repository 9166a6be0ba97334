import {
  QualityQuery,
  QualityRecordQuery,
  QualityReport,
  ReviewedReply,
} from '@svc/contract/console-quality';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/quality';

export function qualityRoutes(app: HttpApp, { quality, publicUrl }: Pick<Services, 'publicUrl' | 'quality'>) {
  app.get(
    path,
    operation({
      ability: 'session',
      role: 'operator',
      id: 'getQuality',
      summary: 'Read grades, refusals and verdicts over time',
      schema: { querystring: QualityQuery, response: { 200: QualityReport } },
      errors: ['NOT_FOUND'],
    }),
    (request) => quality.report(workspaceOf(request), request.query),
  );

  app.get(
    `${path}/records`,
    operation({
      ability: 'session',
      role: 'operator',
      id: 'listReviewedReplies',
      summary: 'List single replies with their grade and verdict, newest first',
      description:
        'With withheld texts, which users never see. The `Link` header leads to the next page while there is one.',
      schema: { querystring: QualityRecordQuery, response: { 200: Type.Array(ReviewedReply) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { query } = request;
      const page = await quality.review(workspaceOf(request), query);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}/records`, { ...query, before: page.next });
      return page.replies;
    },
  );
}
