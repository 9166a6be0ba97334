import { AuditEntry, AuditQuery } from '@svc/contract/audit';
import { Type } from 'typebox';
import { workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { linkToNextPage } from '../http/link-to-next-page.ts';
import { operation } from '../http/operation.ts';
import type { Services } from '../services.ts';

const path = '/api/v1/audit';

export function auditRoutes(app: HttpApp, { audit, publicUrl }: Pick<Services, 'audit' | 'publicUrl'>): void {
  app.get(
    path,
    operation({
      ability: 'workspace:read',
      role: 'operator',
      tag: 'Workspace',
      id: 'listAuditEntries',
      summary: 'List who changed what, newest first',
      description:
        'Changes of configuration by members and account keys, with the changed fields before and after, tests of tools and runs of hooks with their outcome; never secrets, and never texts of end users. Kept for 400 days unless the retention of the workspace says otherwise. The `Link` header leads to the next page while there is one.',
      schema: { querystring: AuditQuery, response: { 200: Type.Array(AuditEntry) } },
    }),
    async (request, reply) => {
      const { query } = request;
      const page = await audit.list(workspaceOf(request), query);
      if (page.next) linkToNextPage(reply, `${publicUrl}${path}`, { ...query, before: page.next });
      return page.entries;
    },
  );
}
