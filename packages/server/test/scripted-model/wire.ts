import type { ScriptedCall, ScriptedReason, ScriptedUsage } from './script.ts';

export type WireName = 'chat' | 'responses' | 'anthropic' | 'google';
export type ProviderName = 'openai' | 'anthropic' | 'google';

/** Writes one reply in the format of one provider. */
export interface Encoder {
  open(): string;
  text(token: string): string;
  reasoning(token: string): string;
  toolCalls(calls: readonly Required<ScriptedCall>[], interleaved: boolean): string;
  close(ending: Ending): string;
}

export interface Ending {
  reason: ScriptedReason;
  usage: ScriptedUsage | undefined;
}

/** The same reply for a request that did not ask for a stream. */
export interface WholeReply extends Ending {
  text: string;
  calls: readonly Required<ScriptedCall>[];
}

export interface Wire {
  name: WireName;
  provider: ProviderName;
  createEncoder(): Encoder;
  whole(reply: WholeReply): object;
}

export function frame(value: unknown, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(value)}\n\n`;
}

/** Splits arguments into chunks that are not valid JSON on their own. */
export function pieces(value: string, size = 7): string[] {
  return value.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];
}

export function argumentText(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

export function argumentObject(call: ScriptedCall): unknown {
  return typeof call.arguments === 'string' ? JSON.parse(call.arguments) : call.arguments;
}
