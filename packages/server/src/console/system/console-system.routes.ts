import { SystemReport } from '@svc/contract/console-system';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { SystemService } from './console-system.service.ts';

export function systemRoutes(app: HttpApp, { system }: { system: SystemService }): void {
  app.get(
    '/api/console/system',
    operation({
      ability: 'session',
      role: 'operator',
      tag: 'Console',
      id: 'getSystem',
      summary: 'Read what the installation consists of',
      description: 'Which providers have a key, but never a key; the nodes; database, Redis and mail.',
      schema: { response: { 200: SystemReport } },
    }),
    () => system.report(),
  );
}
