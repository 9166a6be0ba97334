import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OutsideServer, startOutsideServer } from '../../support/outside-server.ts';
import { choicesFor } from '../choices.ts';

export interface Effect {
  ref: string;
  note: string;
}

export interface EffectsServer extends OutsideServer {
  /** Every call that arrived, in order. */
  effects: Effect[];
}

/** A call with this note takes so long that requests sent at the same time all find it running. */
export const slowNote = 'slow';
const slowMs = 1_500;

/** What tools act on. It counts every call, whatever becomes of its answer. */
export async function startEffectsServer(seed: number): Promise<EffectsServer> {
  const effects: Effect[] = [];
  const outside = await startOutsideServer((request, response) => void answer(request, response));
  return { ...outside, effects };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const effect = await readEffect(request);
    if (!effect) return;
    effects.push(effect);
    const choices = choicesFor(seed, 'effect', effect.ref);
    const usualMs = choices.chance(0.2) ? choices.between(500, 3_000) : choices.between(0, 200);
    await sleep(effect.note === slowNote ? slowMs : usualMs);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
  }
}

/** Undefined for a request that broke before it was complete. */
async function readEffect(request: IncomingMessage): Promise<Effect | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The caller went away, as killed nodes do.
    return undefined;
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as Effect;
}
