import type { BotSettings } from '@svc/contract/bots';
import { withOverrides } from '../config/voice-prices.ts';
import { createTranscript } from '../conversations/transcript/transcript.service.ts';
import type { Services } from '../services.ts';
import { createVoiceCatalog } from './catalog/voice-catalog.ts';
import { createVoiceSamples } from './catalog/voice-samples.ts';
import type { SpeechUse } from './exchange/cost-of-use.ts';
import { createEndCall } from './exchange/end-call.ts';
import { createExchange, type ExchangeDependencies } from './exchange/exchange.ts';
import { type CallToOpen, createOpenCall } from './exchange/open-call.ts';
import { shareLine } from './exchange/shared-line.ts';
import { createVoiceNumberService } from './numbers/phone-numbers.service.ts';
import { createDialing } from './outbound/dialing.ts';
import { createOutboundCallService } from './outbound/outbound-calls.service.ts';
import { postCallQueue } from './post-call/post-call.queue.ts';
import { createPostCall, type PostCallDependencies } from './post-call/post-call.ts';
import { chooseSpeech } from './speech/choose-speech.ts';
import { createLocalSpeech } from './speech/local/local-speech.ts';
import { openSpeech } from './speech/open-speech.ts';
import { createTransfers } from './transfers/transfers.ts';
import type { VoiceTransport } from './transports/call-transport.ts';
import { createSipTransport } from './transports/sip/sip-transport.ts';
import { createTwilioTransport } from './transports/twilio/twilio-transport.ts';

export type OpenVoiceOptions = PostCallDependencies &
  Pick<
    Services,
    | 'billing'
    | 'bots'
    | 'callRecords'
    | 'clock'
    | 'config'
    | 'conversations'
    | 'creditOf'
    | 'database'
    | 'feed'
    | 'idempotency'
    | 'jobs'
    | 'lane'
    | 'liveCalls'
    | 'log'
    | 'nodeCommands'
    | 'nodeId'
    | 'noteChange'
    | 'reading'
    | 'turns'
    | 'voices'
    | 'workspaces'
  >;

/** Wires telephones, speech and calls. */
export function openVoice(options: OpenVoiceOptions) {
  const { config, lane, log, bots, jobs } = options;
  const local = createLocalSpeech({ log });
  const cloud = openSpeech({ providers: config.providers, lane });
  const speakers = [...cloud.speakers, ...(local.installed.speaks ? [local.textToSpeech] : [])];
  const listeners = [...cloud.listeners, ...(local.installed.listens ? [local.speechToText] : [])];
  const choose: ExchangeDependencies['chooseSpeech'] = (settings, numberVoice) =>
    chooseSpeech(
      { ttsProvider: settings.tts_provider, ttsVoice: settings.tts_voice, numberVoice },
      { speakers, listeners },
    );
  const prices = withOverrides(config.voicePrices);
  const postCall = createPostCall(options);
  const { plan } = postCall;
  jobs.define(postCallQueue, postCall.run);

  /** Calls without a speech provider are refused elsewhere, and cost nothing here. */
  function speechOf({ bot, ttsVoice = null }: CallToOpen): SpeechUse {
    const speech = choose(bot.settings, ttsVoice);
    if ('missing' in speech) return { listener: '', speaker: '' };
    return { listener: speech.listener.provider, speaker: speech.speaker.provider };
  }

  const dialing = createDialing({ ...options, dialLimits: config.dialLimits });
  const openCall = createOpenCall({ ...options, prices, speechOf, plan, dialing });
  const endCall = createEndCall({ ...options, plan });
  let transport: VoiceTransport | undefined;
  const numbers = createVoiceNumberService({
    ...options,
    transport: config.voice && {
      canCallFrom: async (number) => transport?.canCallFrom(number),
    },
  });
  const transfers = createTransfers({ ...options, prices, endCall, network: () => transport?.passedOn });
  const transcript = createTranscript(options);
  const exchange = createExchange({
    ...options,
    prices,
    numbers,
    dialing,
    openCall,
    endCall,
    transfers,
    transcript,
    chooseSpeech: choose,
    cancel: (callId) => transport?.cancel(callId),
    async hangUp({ transport: name, networkId }) {
      if (networkId !== null && name === transport?.name) await transport.passedOn?.hangUp(networkId);
    },
    activity: local.activity,
  });
  const twilio =
    config.voice?.transport === 'twilio'
      ? createTwilioTransport({ ...options, config: config.voice, publicUrl: config.publicUrl, exchange })
      : undefined;
  if (twilio) transport = twilio.transport;
  if (config.voice?.transport === 'sip') {
    const sip = createSipTransport({ config: config.voice, exchange, log });
    transport = shareLine({ ...options, transport: sip, endCall });
  }
  const outboundCalls = createOutboundCallService({
    bots,
    numbers,
    transport,
    chooseSpeech: choose,
    dialing,
    openCall,
    endCall,
  });
  const voiceCatalog = createVoiceCatalog({ ...options, speakers });
  const voiceSamples = createVoiceSamples({ ...options, speakers, catalog: voiceCatalog });

  /** True, or why a bot cannot hear or speak. */
  function isVoiceAvailable(settings: BotSettings): true | string {
    const speech = choose(settings, null);
    return 'missing' in speech ? speech.missing : true;
  }

  return {
    numbers,
    dialing,
    exchange,
    postCall,
    openCall,
    ofWeb: { exchange, isVoiceAvailable },
    speakers,
    listeners,
    chooseSpeech: choose,
    routes: { voiceNumbers: numbers, voiceCatalog, voiceSamples, outboundCalls, twilio: twilio?.hooks },
    start: async () => transport?.start(),
    async stop(): Promise<void> {
      await exchange.stop();
      await transport?.stop();
      local.stop();
    },
  };
}
