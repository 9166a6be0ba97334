import { Attachment } from '@svc/contract/attachments';
import { IdParams, Uuid } from '@svc/contract/common';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import { attachmentForm, attachmentFormLimits } from '../../http/attachment-form.ts';
import { withForms } from '../../http/form.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { ownConversation } from '../own-conversations.ts';

const operation = operationsOf('Chat');

export async function attachmentRoutes(
  app: HttpApp,
  { attachments, idempotent, sendDownload }: Pick<Services, 'attachments' | 'idempotent' | 'sendDownload'>,
): Promise<void> {
  await withForms(app, attachmentFormLimits, (scope) => {
    scope.post(
      '/api/v1/attachments',
      operation({
        ability: 'chat:write',
        id: 'uploadAttachment',
        summary: 'Upload a file for a message',
        description:
          'An image or a PDF, to be named in `attachments` of a message. What is not sent within 24 hours is deleted; of end users, within one hour. The text of a document is read now, so the answer can take some seconds.',
        endUsers: true,
        schema: { body: attachmentForm, response: { 201: Attachment } },
        idempotent: true,
      }),
      async (request, reply) => {
        const { endUser, body } = request;
        const upload = () =>
          attachments.upload(workspaceOf(request), endUser?.externalUserId ?? null, body.files[0]);
        return reply.code(201).send(await idempotent<Attachment>(request, upload));
      },
    );
  });

  app.get(
    '/api/v1/attachments/:id',
    operation({
      ability: 'conversations:read',
      id: 'getAttachment',
      summary: 'Download a file that a user has sent',
      endUsers: true,
      produces: 'application/octet-stream',
      schema: {
        params: IdParams,
        // Pictures on pages send no headers of ours.
        querystring: Type.Object({ workspace: Type.Optional(Uuid) }),
        response: { 200: Type.Unsafe<Buffer>({ format: 'binary' }) },
      },
    }),
    async (request, reply) => {
      const { endUser, params } = request;
      const reader = endUser && {
        own: (conversation_id: string) => ownConversation(endUser, { conversation_id }),
        externalUserId: endUser.externalUserId,
      };
      const { attachment, chunks } = await attachments.open(
        workspaceOf(request),
        params.id,
        reader ?? undefined,
      );
      const { name: filename, media_type: type } = attachment;
      // Each user may have a few: strangers must not use up the lists of the workspace.
      return sendDownload(reply, { content: { chunks }, type, filename, countsAs: 'streams' });
    },
  );
}
