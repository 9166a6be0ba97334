import type { NanoUsd } from '../../money.ts';
import type { VoiceCallRow } from '../../voice-calls/service.ts';

/** What calls cost besides models. */
export interface VoicePrices {
  phonePerMinute(transport: VoiceCallRow['transport']): NanoUsd;
  listeningPerMinute(provider: string): NanoUsd;
  speakingPerThousandCharacters(provider: string): NanoUsd;
}

/** Who listens and speaks on a call. */
export interface SpeechUse {
  listener: string;
  speaker: string;
}

const minuteMs = 60_000n;

/** The cost of this much of a call, by what it is paid for; without what is free. */
export function costOfUse(
  prices: VoicePrices,
  transport: VoiceCallRow['transport'],
  { listener, speaker }: SpeechUse,
  used: { milliseconds: number; characters: number },
): Record<string, NanoUsd> {
  const milliseconds = BigInt(Math.round(used.milliseconds));
  const all: [string, NanoUsd][] = [
    [`${transport}/phone`, (prices.phonePerMinute(transport) * milliseconds) / minuteMs],
    [`${listener}/listening`, (prices.listeningPerMinute(listener) * milliseconds) / minuteMs],
    [
      `${speaker}/speaking`,
      (prices.speakingPerThousandCharacters(speaker) * BigInt(used.characters)) / 1_000n,
    ],
  ];
  return Object.fromEntries(all.filter(([, cost]) => cost > 0n));
}

export function totalOf(costs: Record<string, NanoUsd>): NanoUsd {
  return Object.values(costs).reduce((sum, cost) => sum + cost, 0n);
}
