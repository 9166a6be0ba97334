import { PlaceCall, PlacedCall } from '@svc/contract/calls';
import type { Transaction } from '../../database/database.ts';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operation } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';

export function outboundCallRoutes(
  app: HttpApp,
  { outboundCalls, idempotent }: Pick<Services, 'idempotent' | 'outboundCalls'>,
): void {
  app.post(
    '/api/v1/calls',
    operation({
      ability: 'calls:write',
      tag: 'Calls',
      id: 'placeCall',
      summary: 'Call somebody',
      description:
        'The bot calls from its outbound number. By default it can call numbers in the country of that number; premium-rate and satellite numbers, emergency numbers and short codes are refused. How the call goes is on its conversation, which has the id of the call. A call that cannot be paid for is not placed, which is on the conversation too.',
      schema: { body: PlaceCall, response: { 200: PlacedCall } },
      errors: ['CALL_FAILED', 'VOICE_DISABLED'],
      idempotent: true,
    }),
    (request) =>
      idempotent<PlacedCall>(
        request,
        async (record) => {
          const { body } = request;
          const noted = (tx: Transaction, call: VoiceCallRow) => record(tx, answerOf(call));
          return answerOf(await outboundCalls.place(workspaceOf(request), body, noted));
        },
        { continuesAfterAnswer: true },
      ),
  );
}

/** Calls have no billing errors: one that cannot be paid for is over before it began. */
function answerOf({ id, endedAt }: VoiceCallRow): PlacedCall {
  const message = endedAt
    ? "The call was not placed, because the workspace's balance is used up: see its conversation."
    : 'The call was placed.';
  return { success: true, data: { call_id: id }, message };
}
