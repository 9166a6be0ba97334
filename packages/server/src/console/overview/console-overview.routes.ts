import { FindQuery, FoundObject, Overview, WaitingCounts } from '@svc/contract/console-conversations';
import { memberOf, workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');

export function overviewRoutes(app: HttpApp, { overview, finder }: Pick<Services, 'finder' | 'overview'>) {
  app.get(
    '/api/console/overview',
    operation({
      ability: 'session',
      id: 'getOverview',
      summary: 'What waits for a person, what is running, and what went wrong',
      schema: { response: { 200: Overview } },
    }),
    (request) => overview.read(workspaceOf(request), memberOf(request).member.id),
  );

  app.get(
    '/api/console/waiting',
    operation({
      ability: 'session',
      id: 'countWaiting',
      summary: 'Count what waits for a person',
      schema: { response: { 200: WaitingCounts } },
    }),
    (request) => overview.countWaiting(workspaceOf(request)),
  );

  app.get(
    '/api/console/find',
    operation({
      ability: 'session',
      id: 'findById',
      summary: 'Find out what an id belongs to',
      schema: { querystring: FindQuery, response: { 200: FoundObject } },
      errors: ['NOT_FOUND'],
    }),
    (request) => finder.find(workspaceOf(request), request.query.id),
  );
}
