import {
  AgentOverview,
  RunCalendar,
  RunCalendarQuery,
  RunEntry,
  RunHistoryQuery,
} from '@svc/contract/run-history';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { linkToNextPage } from '../../http/link-to-next-page.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');
const path = '/api/console/runs';

export function runHistoryRoutes(
  app: HttpApp,
  { runHistory, publicUrl }: Pick<Services, 'publicUrl' | 'runHistory'>,
): void {
  app.get(
    path,
    operation({
      ability: 'session',
      id: 'listRunHistory',
      summary: 'List the runs of all agents, newest first',
      description:
        'Also the slots of schedules of which no run came, with the reason. The `Link` header leads to the next page while there is one.',
      schema: { querystring: RunHistoryQuery, response: { 200: Type.Array(RunEntry) } },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { query } = request;
      const page = await runHistory.list(workspaceOf(request), query);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.entries;
    },
  );

  app.get(
    `${path}/calendar`,
    operation({
      ability: 'session',
      id: 'getRunCalendar',
      summary: 'Read what ran in a month and what is planned, day by day',
      schema: { querystring: RunCalendarQuery, response: { 200: RunCalendar } },
      errors: ['NOT_FOUND'],
    }),
    (request) => runHistory.calendar(workspaceOf(request), request.query),
  );

  app.get(
    '/api/console/agents',
    operation({
      ability: 'session',
      id: 'listAgentOverviews',
      summary: 'List the agents with their next slot, their last slots and their run in progress',
      schema: { response: { 200: Type.Array(AgentOverview) } },
    }),
    (request) => runHistory.overview(workspaceOf(request)),
  );
}
