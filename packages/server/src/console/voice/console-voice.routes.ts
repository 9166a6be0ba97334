import { Message, Uuid } from '@svc/contract/common';
import { VoiceReport } from '@svc/contract/console-voice';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Console');

export function consoleVoiceRoutes(
  app: HttpApp,
  { consoleVoice, idempotent }: Pick<Services, 'consoleVoice' | 'idempotent'>,
): void {
  app.get(
    '/api/console/voice',
    operation({
      ability: 'session',
      id: 'getVoice',
      summary: 'Read what of voice is set up',
      description:
        'How telephones are reached, which speech providers can be used and what bots may dial, but never a key.',
      schema: { response: { 200: VoiceReport } },
    }),
    (request) => consoleVoice.report(workspaceOf(request)),
  );

  app.post(
    '/api/console/voice/calls/:id/end',
    operation({
      ability: 'session',
      role: 'operator',
      id: 'endCall',
      summary: 'End a call',
      description: 'A call that is over stays as it is.',
      schema: { params: Type.Object({ id: Uuid }), response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<{ message: string }>(request, async () => {
        await consoleVoice.endCall(workspaceOf(request), request.params.id);
        return { message: 'The call was ended.' };
      }),
  );
}
