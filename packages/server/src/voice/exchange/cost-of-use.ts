import type { NewUsage } from '../../billing/billing.service.ts';
import {
  listeningCost,
  speakingCost,
  type TelephoneLeg,
  telephoneCost,
  type VoicePrices,
} from '../../config/voice-prices.ts';
import type { NanoUsd } from '../../lib/money.ts';
import { newId } from '../../lib/new-id.ts';
import type { VoiceCallRow } from '../../voice-calls/records/call-records.service.ts';

/** What the price of a call depends on. */
export type PricedCall = Pick<VoiceCallRow, 'transport' | 'direction' | 'toNumber'>;

/** The providers that listen and speak on a call. */
export interface SpeechUse {
  listener: string;
  speaker: string;
}

/** The cost of a call so far, by item; free items are left out. */
export function costOfUse(
  prices: VoicePrices,
  call: PricedCall,
  { listener, speaker }: SpeechUse,
  used: { milliseconds: number; characters: number },
): Record<string, NanoUsd> {
  const all: [string, NanoUsd][] = [
    [telephoneOf(call), telephoneCost(prices, firstLegOf(call), used.milliseconds)],
    [`${listener}/listening`, listeningCost(prices, listener, used.milliseconds)],
    [`${speaker}/speaking`, speakingCost(prices, speaker, used.characters)],
  ];
  return Object.fromEntries(all.filter(([, cost]) => cost > 0n));
}

/** The name of the telephone network in the usage. */
export function telephoneOf({ transport }: Pick<PricedCall, 'transport'>): string {
  return `${transport}/telephone`;
}

/** The connection that a call began with. */
export function firstLegOf({ transport, direction, toNumber }: PricedCall): TelephoneLeg {
  return { transport, direction: direction === 'outbound' ? direction : 'inbound', to: toNumber };
}

export function totalOf(costs: Record<string, NanoUsd>): NanoUsd {
  return Object.values(costs).reduce((sum, cost) => sum + cost, 0n);
}

/** What a call has cost, by item, as usage. Its time is there even if it was free. */
export function usageOfCall(
  { id, transport }: Pick<VoiceCallRow, 'id' | 'transport'>,
  used: Readonly<Record<string, string>>,
  milliseconds: number,
): NewUsage[] {
  const telephone = telephoneOf({ transport });
  const callSeconds = Math.round(milliseconds / 1_000);
  const items = callSeconds > 0 ? { [telephone]: '0', ...used } : used;
  return Object.entries(items).map(([model, costUsd]) => ({
    id: newId(),
    conversationId: id,
    turnId: null,
    model,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    costUsd,
    callSeconds: model === telephone ? callSeconds : 0,
  }));
}
