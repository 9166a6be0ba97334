import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SipSettings } from '@svc/sip/sip-options';
import type { SipTimers } from '@svc/sip/sip-timers';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { SystemLookup } from '../../../src/egress/system-lookup.ts';
import { createSipTransport, type SipTransport } from '../../../src/voice/transports/sip/sip-transport.ts';
import { type Baresip, type BaresipOptions, startBaresip } from '../../support/voice/baresip.ts';
import { createRecordedExchange, type RecordedExchange } from '../../support/voice/recorded-exchange.ts';
import { tone, writeToneFile } from '../../support/voice/tones.ts';
import { freeUdpPorts } from '../../support/voice/udp-port.ts';

/** What phones play, in Hz, unless a test says otherwise. */
export const phoneTone = 440;

export interface SipStage {
  readonly folder: string;
  phone(options?: Partial<BaresipOptions>): Promise<Baresip>;
  open(
    trunkPort: number,
    config?: Partial<SipSettings>,
    timers?: Partial<SipTimers>,
    lookUp?: SystemLookup,
  ): Promise<OpenSip>;
}

export interface OpenSip {
  transport: SipTransport;
  exchange: RecordedExchange;
}

/** Phones and transports that are stopped after the tests of a file. */
export function useSip(): SipStage {
  const stops: (() => Promise<void>)[] = [];
  let folder = '';
  let phones = 0;
  let wav = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-sip-'));
    wav = join(folder, 'phone.wav');
    await writeToneFile(wav, tone(phoneTone, 40_000));
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(folder, { recursive: true });
  });

  return {
    get folder() {
      return folder;
    },
    async phone(options = {}) {
      phones += 1;
      const phone = await startBaresip({ folder: join(folder, `phone-${phones}`), plays: wav, ...options });
      stops.push(phone.stop);
      return phone;
    },
    async open(trunkPort, config = {}, timers = {}, lookUp) {
      const exchange = createRecordedExchange();
      const min = await freeUdpPorts(80);
      const transport = createSipTransport({
        config: {
          trunk: { host: '127.0.0.1', port: trunkPort },
          isRegistering: false,
          listen: { host: '127.0.0.1', port: await freeUdpPorts() },
          rtpPorts: { min, max: min + 79 },
          allowedPeers: [],
          mediaPeers: [],
          realms: [],
          srtp: 'off',
          ...config,
        },
        exchange,
        log: pino({ level: 'silent' }),
        timers,
        ...(lookUp && { lookUp }),
      });
      await transport.start();
      stops.push(() => transport.stop());
      return { transport, exchange };
    },
  };
}
