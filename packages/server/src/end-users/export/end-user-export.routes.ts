import { EndUserParams } from '@svc/contract/end-users';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

export function endUserExportRoutes(
  app: HttpApp,
  { endUserExport, sendDownload }: Pick<Services, 'endUserExport' | 'sendDownload'>,
) {
  app.get(
    '/api/v1/end-users/:external_user_id/export',
    operation({
      ability: 'conversations:read',
      role: 'operator',
      tag: 'End users',
      id: 'exportEndUser',
      summary: "Download a person's data",
      description: [
        'A JSON file for a request for access: what is known of the person, conversations on every channel with their messages, metadata, tool calls, approvals,',
        'labels, what the team has noted about them, runs and calls, links to recordings, and what was used. Traces, grades and validations are left out: they are about the',
        'bot. Legal holds do not matter. A file that ends early is not valid JSON.',
      ].join(' '),
      produces: 'application/json',
      schema: {
        params: EndUserParams,
        // Links send no headers of ours.
        querystring: Type.Object({ workspace: Type.Optional(Type.String({ format: 'uuid' })) }),
        response: { 200: Type.Unsafe<Buffer>({ format: 'binary' }) },
      },
    }),
    (request, reply) => {
      const { external_user_id: externalUserId } = request.params;
      return sendDownload(reply, {
        content: { texts: endUserExport.texts(workspaceOf(request), externalUserId) },
        type: 'application/json; charset=utf-8',
        filename: 'end-user.json',
      }) as unknown as Buffer;
    },
  );
}
