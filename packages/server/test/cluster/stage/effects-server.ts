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

/** What tools act on. It counts every call, whatever becomes of its answer. */
export async function startEffectsServer(seed: number): Promise<EffectsServer> {
  const effects: Effect[] = [];
  const outside = await startOutsideServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const effect = JSON.parse(Buffer.concat(chunks).toString()) as Effect;
      effects.push(effect);
      const choices = choicesFor(seed, 'effect', effect.ref);
      const pause = choices.chance(0.2) ? choices.between(500, 3_000) : choices.between(0, 200);
      void sleep(pause).then(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
      });
    });
  });
  return { ...outside, effects };
}
