import type { NanoUsd } from '../../money.ts';
import type { VoiceCallRow } from '../../voice-calls/service.ts';
import { listeningCost, speakingCost, telephoneCost, type VoicePrices } from '../../voice-prices.ts';

/** The providers that listen and speak on a call. */
export interface SpeechUse {
  listener: string;
  speaker: string;
}

/** The cost of a call that has lasted so long, by what it is paid for; without what is free. */
export function costOfUse(
  prices: VoicePrices,
  { transport, direction }: Pick<VoiceCallRow, 'transport' | 'direction'>,
  { listener, speaker }: SpeechUse,
  used: { milliseconds: number; characters: number },
): Record<string, NanoUsd> {
  const ofNetwork = { transport, direction: direction === 'outbound' ? direction : 'inbound' } as const;
  const all: [string, NanoUsd][] = [
    [`${transport}/telephone`, telephoneCost(prices, ofNetwork, used.milliseconds)],
    [`${listener}/listening`, listeningCost(prices, listener, used.milliseconds)],
    [`${speaker}/speaking`, speakingCost(prices, speaker, used.characters)],
  ];
  return Object.fromEntries(all.filter(([, cost]) => cost > 0n));
}

export function totalOf(costs: Record<string, NanoUsd>): NanoUsd {
  return Object.values(costs).reduce((sum, cost) => sum + cost, 0n);
}
