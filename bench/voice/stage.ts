import { freeUdpPorts } from '../../packages/server/test/support/voice/udp-port.ts';
import { createCleanUp } from '../support/clean-up.ts';
import { type MeasuredService, startService } from '../support/start-service.ts';
import { startWorker } from '../support/start-worker.ts';
import type { CallsJob, CallsOutcome } from './caller/job.ts';
import { createNumber } from './create-number.ts';
import type { Delays, PeersJob, PeersOutcome } from './peers/job.ts';
import { makeWords } from './words.ts';

export interface Stage {
  service: MeasuredService;
  /** Makes calls to the bot with this reply. Resolves when all have ended. */
  call(
    reply: keyof typeof replies,
    job: Omit<CallsJob, 'port' | 'to' | 'words' | 'quietMs'>,
  ): Promise<CallsOutcome>;
}

export interface StageOptions extends Delays {
  /** Speech of this machine instead of stand-ins for providers. */
  isLocal?: boolean;
}

const replies = {
  short: 'Your order is on its way. It arrives tomorrow.',
  long: `Your order is on its way. ${'It has left the warehouse this morning, and is now on the road. '.repeat(6)}`,
};
const maxCalls = 40;
/** No pause within a reply is longer. */
const quietMs = 600;

/** The service, the stand-ins and the callers, each in a process of its own, for one measurement. */
export async function onStage<Outcome>(
  { isLocal = false, ...delays }: StageOptions,
  work: (stage: Stage) => Promise<Outcome>,
): Promise<Outcome> {
  const cleanUp = createCleanUp();
  try {
    const words = await makeWords();
    const peers = await startWorker<PeersJob>(cleanUp, import.meta.resolve('./peers/main.ts'));
    const environment = (await peers.run({ ...delays, replies })) as PeersOutcome;
    const { OPENAI_API_KEY = '', OPENAI_BASE_URL = '' } = environment;
    const port = await freeUdpPorts();
    const audioPort = await freeUdpPorts(maxCalls * 2);
    const service = await startService(cleanUp, {
      ...(isLocal ? { OPENAI_API_KEY, OPENAI_BASE_URL } : environment),
      SVC_VOICE_TRANSPORT: 'sip',
      SIP_TRUNK_URI: 'sip:127.0.0.1:9',
      SIP_LISTEN: `127.0.0.1:${port}`,
      RTP_PORT_MIN: String(audioPort),
      RTP_PORT_MAX: String(audioPort + maxCalls * 2 - 1),
    });
    const caller = await startWorker<CallsJob>(cleanUp, import.meta.resolve('./caller/main.ts'));
    const speaker = isLocal ? {} : { tts_provider: 'cartesia' };
    const numbers = {
      short: await createNumber(service, { model: 'openai/short', ...speaker }),
      long: await createNumber(service, { model: 'openai/long', ...speaker }),
    };
    return await work({
      service,
      call: async (reply, job) =>
        (await caller.run({ ...job, port, to: numbers[reply], words, quietMs })) as CallsOutcome,
    });
  } finally {
    await cleanUp.run();
  }
}
