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
import { operation } from '../../http/operation.ts';
import type { RunHistoryService } from './run-history.service.ts';

const tag = 'Console';
const path = '/api/console/runs';

export interface RunHistoryRouteDependencies {
  runHistory: RunHistoryService;
  publicUrl: string;
}

export function runHistoryRoutes(app: HttpApp, { runHistory, publicUrl }: RunHistoryRouteDependencies): void {
  app.get(
    path,
    operation({
      ability: 'session',
      tag,
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
      tag,
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
      tag,
      id: 'listAgentOverviews',
      summary: 'List the agents with their next slot, their last slots and their run in progress',
      schema: { response: { 200: Type.Array(AgentOverview) } },
    }),
    (request) => runHistory.overview(workspaceOf(request)),
  );
}
