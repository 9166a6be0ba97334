import { Uuid } from '@svc/contract/common';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import { readByteRange } from '../../lib/byte-range.ts';
import type { Services } from '../../services.ts';

async function* nothing(): AsyncGenerator<Buffer> {}

const file = Type.Unsafe<Buffer>({ format: 'binary' });

export function callRecordingRoutes(
  app: HttpApp,
  { callRecordings, sendDownload }: Pick<Services, 'callRecordings' | 'sendDownload'>,
): void {
  app.get(
    '/api/v1/calls/:id/recording',
    operation({
      ability: 'recordings:read',
      role: 'operator',
      tag: 'Calls',
      id: 'getCallRecording',
      summary: 'Download the recording of a call',
      description:
        'A WAV file with two channels: the caller on the left, the bot on the right. During a call it has what was recorded so far. A header `Range` with one range of bytes is answered with 206.',
      produces: 'audio/wav',
      schema: {
        params: Type.Object({ id: Uuid }),
        // Players send no headers of ours.
        querystring: Type.Object({ workspace: Type.Optional(Uuid) }),
        response: { 200: file, 206: file },
      },
      errors: ['NOT_FOUND'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { length, read } = await callRecordings.open(workspaceOf(request), id);
      const range = readByteRange(request.headers.range, length);
      void reply.headers({ 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' });
      const { start, end } = range ?? { start: 0, end: length };
      if (range) void reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${length}`);
      void reply.header('content-length', end - start);
      // The body of HEAD is not sent, so nothing is opened for it.
      const chunks = request.method === 'HEAD' ? nothing() : await read({ start, end });
      return sendDownload(reply, {
        content: { chunks },
        type: 'audio/wav',
        filename: `call-${id}.wav`,
      }) as unknown as Buffer;
    },
  );
}
