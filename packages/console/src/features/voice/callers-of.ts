import type { BotSettings } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { VoiceNumber } from '@svc/contract/voice-numbers';

type CallerBot = Pick<ConsoleBot, 'id' | 'name' | 'status' | 'settings'>;
type CallerNumber = Pick<VoiceNumber, 'bot_id' | 'phone_number' | 'is_outbound_primary'>;

/** The bots that can place calls, and the number that each calls from. */
export function callersOf(
  bots: readonly CallerBot[],
  numbers: readonly CallerNumber[],
): { id: string; name: string; from: string }[] {
  return bots.flatMap(({ id, name, status, settings }) => {
    const { outbound_calls_enabled: mayCall } = JSON.parse(settings) as BotSettings;
    const own = numbers.find((number) => number.bot_id === id && number.is_outbound_primary);
    return status === 'active' && mayCall && own ? [{ id, name, from: own.phone_number }] : [];
  });
}
