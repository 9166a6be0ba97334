import { PlaceCall, PlacedCall } from '@svc/contract/calls';
import { Uuid } from '@svc/contract/common';
import { Type } from 'typebox';
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

  app.post(
    '/api/v1/calls/:id/end',
    operation({
      ability: 'calls:write',
      tag: 'Calls',
      id: 'hangUpCall',
      summary: 'End a call',
      description:
        'Any call of the workspace, by telephone or from a browser, on whichever node its line is. Answered when the call is over; its conversation then has `end_reason: "stopped"`. A call that was over already stays as it is.',
      schema: { params: Type.Object({ id: Uuid }), response: { 200: PlacedCall } },
      idempotent: true,
    }),
    (request) =>
      idempotent<PlacedCall>(request, async () => {
        const { id } = request.params;
        await outboundCalls.end(workspaceOf(request), id);
        return { success: true, data: { call_id: id }, message: 'The call is over.' };
      }),
  );
}

/** Calls have no billing errors: one that cannot be paid for is over before it began. */
function answerOf({ id, endedAt }: VoiceCallRow): PlacedCall {
  const message = endedAt
    ? "The call was not placed, because the workspace's balance is used up: see its conversation."
    : 'The call was placed.';
  return { success: true, data: { call_id: id }, message };
}
