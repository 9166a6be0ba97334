import {
  type Script,
  type ScriptedCall,
  type ScriptedReason,
  type ScriptedUsage,
  type ScriptStep,
  splitIntoTokens,
} from './script.ts';
import type { Encoder, WholeReply, Wire } from './wire.ts';

export type Operation =
  | { type: 'write'; bytes: Buffer }
  | { type: 'wait'; milliseconds: number }
  | { type: 'hang' | 'cut' | 'end' };

export interface CompiledScript {
  status: Extract<ScriptStep, { type: 'status' }> | undefined;
  operations: readonly Operation[];
  whole: WholeReply;
  cutAtByte: number | undefined;
  chunkBytes: number | undefined;
}

type FullCall = Required<ScriptedCall>;

/** All bytes of a reply, with one buffer per write. */
export function compile(script: Script, wire: Wire): CompiledScript {
  const { steps, cutAtByte, chunkBytes } = 'steps' in script ? script : { steps: script };
  const status = steps.find((step) => step.type === 'status');
  const whole = wholeReply(steps);
  return {
    status,
    operations: status ? [] : operationsOf(steps, wire.createEncoder(), whole),
    whole,
    cutAtByte,
    chunkBytes,
  };
}

function operationsOf(steps: readonly ScriptStep[], encoder: Encoder, whole: WholeReply): Operation[] {
  const operations: Operation[] = [];
  let pending = '';
  let opened = false;

  const flush = (): void => {
    if (pending !== '') operations.push({ type: 'write', bytes: Buffer.from(pending) });
    pending = '';
  };
  const write = (frames: string): void => {
    if (!opened) pending += encoder.open();
    opened = true;
    pending += frames;
  };
  const wait = (milliseconds: number): void => {
    if (milliseconds <= 0) return;
    flush();
    operations.push({ type: 'wait', milliseconds });
  };

  for (const step of steps) {
    const paced = tokensOf(step);
    for (const token of paced.tokens) {
      write(step.type === 'reasoning' ? encoder.reasoning(token) : encoder.text(token));
      wait(paced.delayMs);
    }
    if (step.type === 'tool-calls') write(encoder.toolCalls(withIds(step.calls), step.interleaved ?? false));
    if (step.type === 'open') write('');
    if (step.type === 'raw') pending += step.text;
    if (step.type === 'delay') wait(step.milliseconds);
    if (step.type === 'hang' || step.type === 'cut' || step.type === 'end') {
      flush();
      operations.push({ type: step.type });
      return operations;
    }
  }
  write(encoder.close(whole));
  flush();
  const lingering = steps.find((step) => step.type === 'linger');
  wait(lingering?.milliseconds ?? 0);
  operations.push({ type: lingering && lingering.milliseconds === undefined ? 'hang' : 'end' });
  return operations;
}

function tokensOf(step: ScriptStep): { tokens: readonly string[]; delayMs: number } {
  if (step.type === 'tokens') {
    return {
      tokens: Array.from({ length: step.count }, (_, index) => `token${index} `),
      delayMs: step.delayMs ?? 0,
    };
  }
  if (step.type === 'text' || step.type === 'reasoning') {
    return { tokens: splitIntoTokens(step.text), delayMs: step.delayMs ?? 0 };
  }
  return { tokens: [], delayMs: 0 };
}

function wholeReply(steps: readonly ScriptStep[]): WholeReply {
  const calls: FullCall[] = [];
  let text = '';
  let count = 0;
  let reason: ScriptedReason | undefined;
  let usage: ScriptedUsage | 'none' | undefined;
  for (const step of steps) {
    const { tokens } = tokensOf(step);
    count += tokens.length;
    if (step.type !== 'reasoning') text += tokens.join('');
    if (step.type === 'tool-calls') calls.push(...withIds(step.calls));
    if (step.type === 'finish') reason = step.reason;
    if (step.type === 'no-usage') usage = 'none';
    if (step.type === 'usage') usage = { ...step, cachedInputTokens: step.cachedInputTokens ?? 0 };
  }
  return {
    text,
    calls,
    reason: reason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage:
      usage === 'none'
        ? undefined
        : (usage ?? { inputTokens: 10, cachedInputTokens: 0, outputTokens: count }),
  };
}

function withIds(calls: readonly ScriptedCall[]): FullCall[] {
  return calls.map((call, index) => ({
    ...call,
    id: call.id ?? `call_scripted_${index}`,
    signature: call.signature ?? '',
  }));
}
