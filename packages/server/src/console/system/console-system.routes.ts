import { SystemFigures, SystemReport } from '@svc/contract/console-system';
import { workspaceOf } from '../../http/access.ts';
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
    (request) => system.report(workspaceOf(request)),
  );

  app.get(
    '/api/console/system/figures',
    operation({
      ability: 'session',
      role: 'owner',
      tag: 'Console',
      id: 'getSystemFigures',
      summary: 'Read how busy the installation is',
      description:
        'Of all workspaces together, so only the owners of the first workspace of the installation may read it: `shows_figures` of the system says whether this is the one.',
      schema: { response: { 200: SystemFigures } },
    }),
    (request) => system.figures(workspaceOf(request)),
  );
}
