import type { PlaceCall } from '@svc/contract/calls';
import type { BotRow } from '../../bots/bots.service.ts';
import type { Transaction } from '../../database/database.ts';
import { AppError, invalid } from '../../lib/app-error.ts';
import type { Services } from '../../services.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';
import { type ChooseSpeech, whyTooLate } from '../exchange/connect-line.ts';
import type { CallEnds, EndCall } from '../exchange/end-call.ts';
import type { OpenPhoneCall } from '../exchange/open-call.ts';
import type { VoiceNumberService } from '../numbers/phone-numbers.service.ts';
import { CallNotPlaced, type VoiceTransport } from '../transports/call-transport.ts';

export interface OutboundCallDependencies extends Pick<Services, 'bots' | 'dialing'> {
  numbers: Pick<VoiceNumberService, 'findPrimary'>;
  /** Undefined where calls are not set up. */
  transport: Pick<VoiceTransport, 'name' | 'place'> | undefined;
  chooseSpeech: ChooseSpeech;
  openCall: OpenPhoneCall;
  endCall: EndCall;
  /** Ends a call wherever its line is. */
  stopCall: CallEnds['stopCall'];
}

/** Recognition may have caught up by then. */
const retryAfterSeconds = 10;

export type OutboundCallService = ReturnType<typeof createOutboundCallService>;

/** Calls that bots place, and the end of any call. */
export function createOutboundCallService(dependencies: OutboundCallDependencies) {
  const { bots, numbers, transport, chooseSpeech, dialing, openCall, endCall } = dependencies;

  async function findBot(workspaceId: string, botId: string): Promise<BotRow> {
    const bot = await bots.getRow(workspaceId, botId).catch(unlessMissing);
    if (!bot) throw invalid('bot_id', 'names no bot of this workspace');
    if (bot.status !== 'active') throw invalid('bot_id', 'names a bot that is inactive');
    if (!bot.settings.outbound_calls_enabled)
      throw invalid('bot_id', 'names a bot that may not place calls: set outbound_calls_enabled');
    return bot;
  }

  return {
    /** Resolves when the call is over; harmless if it was. Throws NOT_FOUND for unknown ones. */
    end: dependencies.stopCall,

    /**
     * Places a call. One that cannot be paid for is not placed: it has ended already, and its conversation says so. `note` gets
     * the call in the transaction that writes it, before it is placed.
     */
    async place(
      workspaceId: string,
      body: PlaceCall,
      note: (tx: Transaction, call: VoiceCallRow) => Promise<void>,
    ): Promise<VoiceCallRow> {
      if (!transport) {
        const message = 'Calls are not set up on this service: set SVC_VOICE_TRANSPORT to twilio or sip.';
        throw new AppError('VOICE_DISABLED', { message });
      }
      const bot = await findBot(workspaceId, body.bot_id);
      const number = await numbers.findPrimary(workspaceId, bot.id);
      if (!number)
        throw invalid('bot_id', 'names a bot without a number to call from: mark one as is_outbound_primary');
      const checked = await dialing.check(workspaceId, number.phoneNumber, body.to_number);
      if (checked.refusal !== undefined) throw invalid('to_number', checked.refusal);
      const to = checked.dialed;
      const speech = chooseSpeech(bot.settings, number.ttsVoice);
      if ('missing' in speech) throw new AppError('VOICE_DISABLED', { message: speech.missing });
      const late = whyTooLate(speech);
      if (late !== undefined) throw new AppError('RATE_LIMITED', { message: late, retryAfterSeconds });
      const opening = {
        workspaceId,
        bot,
        direction: 'outbound',
        transport: transport.name,
        from: number.phoneNumber,
        to,
        // The number's greeting is for those who call it.
        ttsVoice: number.ttsVoice,
      } as const;
      const row = await openCall(opening, note);
      if (row.endedAt) return row;
      try {
        const { id: callId, maxSeconds } = row;
        await transport.place({ callId, from: number.phoneNumber, to, maxSeconds });
      } catch (error) {
        const message = error instanceof CallNotPlaced ? error.message : 'The call could not be placed.';
        await endCall(row, 'not_placed', message);
        throw new AppError('CALL_FAILED', { message, cause: error });
      }
      return row;
    },
  };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
  throw error;
}
