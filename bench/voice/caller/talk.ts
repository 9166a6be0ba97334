import { setTimeout as delay } from 'node:timers/promises';
import type { Pacer } from '@svc/sip/media/pacer';
import type { CallsJob, CallsOutcome } from './job.ts';
import { pacingOf } from './pacing-of.ts';
import { createPhone, type Phone } from './phone.ts';
import { dial } from './sip-dialog.ts';

/** One call from its first ring to its end. */
export async function talk(job: CallsJob, pacer: Pacer): Promise<CallsOutcome> {
  const phone = await createPhone(pacer);
  try {
    const dialog = await dial({ port: job.port, to: job.to, rtpPort: phone.port });
    phone.connect(dialog.answered.rtpPort);
    const greeting = (await phone.soundAfter(0)) - dialog.answered.at;
    const replies: number[] = [];
    const stops: number[] = [];
    for (let turn = 0; turn < job.turns; turn += 1) {
      const interruptAfterMs = turn === 0 ? undefined : job.interruptAfterMs;
      await (interruptAfterMs === undefined ? quiet(phone, job.quietMs) : delay(interruptAfterMs));
      const { from, until } = await phone.say(job.words);
      if (interruptAfterMs !== undefined) {
        if (phone.lastSoundAt < from) throw new Error('The bot was silent before it was interrupted.');
        stops.push(phone.lastSoundAt - from);
      }
      replies.push((await phone.soundAfter(until)) - until);
    }
    if (job.interruptAfterMs === undefined) await quiet(phone, job.quietMs);
    await dialog.hangUp();
    return { greetings: [greeting], replies, stops, ...pacingOf(phone.packets) };
  } finally {
    phone.close();
  }
}

async function quiet(phone: Phone, milliseconds: number): Promise<void> {
  for (;;) {
    const rest = phone.lastSoundAt + milliseconds - performance.now();
    if (rest <= 0) return;
    await delay(rest);
  }
}
