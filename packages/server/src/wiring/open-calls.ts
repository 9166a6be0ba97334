import type { BotSettings } from '@svc/contract/bots';
import { withOverrides } from '../config/voice-prices.ts';
import type { ConsoleVoiceDependencies } from '../console/voice/console-voice.service.ts';
import { createTranscript } from '../conversations/transcript/transcript.service.ts';
import type { Feature, Ground, Services } from '../services.ts';
import { voiceCatalogRoutes } from '../voice/catalog/voice-catalog.routes.ts';
import { createVoiceCatalog } from '../voice/catalog/voice-catalog.ts';
import { createVoiceSamples } from '../voice/catalog/voice-samples.ts';
import { type ChooseSpeech, maxLagMs } from '../voice/exchange/connect-line.ts';
import type { SpeechUse } from '../voice/exchange/cost-of-use.ts';
import { createEndCall } from '../voice/exchange/end-call.ts';
import { createExchange } from '../voice/exchange/exchange.ts';
import { type CallToOpen, createOpenCall } from '../voice/exchange/open-call.ts';
import { shareLine } from '../voice/exchange/shared-line.ts';
import { voiceNumberRoutes } from '../voice/numbers/phone-numbers.routes.ts';
import { createVoiceNumberService } from '../voice/numbers/phone-numbers.service.ts';
import { createDialing } from '../voice/outbound/dialing.ts';
import { outboundCallRoutes } from '../voice/outbound/outbound-calls.routes.ts';
import { createOutboundCallService } from '../voice/outbound/outbound-calls.service.ts';
import { postCallQueue } from '../voice/post-call/post-call.queue.ts';
import { createPostCall, type PostCallDependencies } from '../voice/post-call/post-call.ts';
import { chooseSpeech } from '../voice/speech/choose-speech.ts';
import { createLocalSpeech } from '../voice/speech/local/local-speech.ts';
import { observeListening, observeSpeaking } from '../voice/speech/observe-speech.ts';
import { openSpeech } from '../voice/speech/open-speech.ts';
import { covers, languageName, languageTag } from '../voice/talk/language-tag.ts';
import { createTransfers } from '../voice/transfers/transfers.ts';
import type { VoiceTransport } from '../voice/transports/call-transport.ts';
import { createSipTransport } from '../voice/transports/sip/sip-transport.ts';
import { twilioRoutes } from '../voice/transports/twilio/twilio.routes.ts';
import {
  createTwilioTransport,
  incomingPath,
  statusPath,
} from '../voice/transports/twilio/twilio-transport.ts';
import { webVoiceRoutes } from '../voice/transports/web/web-voice.routes.ts';
import { createWebVoiceService } from '../voice/transports/web/web-voice.service.ts';

type CallServices = PostCallDependencies &
  Ground &
  Pick<
    Services,
    | 'billing'
    | 'bots'
    | 'callRecordings'
    | 'creditOf'
    | 'endUsers'
    | 'liveCalls'
    | 'reading'
    | 'recordingMover'
    | 'turns'
    | 'visitors'
    | 'voices'
    | 'workspaces'
  >;

/** Wires telephones, speech and calls. Visitors who call from a page belong to widgets. */
export function openCalls(services: CallServices) {
  const { config, lane, log, bots, jobs, liveCalls, meters, providerObserver } = services;
  const local = createLocalSpeech({ log });
  const cloud = openSpeech({ providers: config.providers, lane });
  const speakers = [...cloud.speakers, ...(local.installed.speaks ? [local.textToSpeech] : [])].map(
    (speaker) => observeSpeaking(speaker, providerObserver),
  );
  const listeners = [...cloud.listeners, ...(local.installed.listens ? [local.speechToText] : [])].map(
    (listener) => observeListening(listener, providerObserver),
  );
  meters.gauge('callsInProgress', () => [{ value: liveCalls.all().length }]);
  meters.gauge('recognitionLag', () => [{ value: local.speechToText.lagMs / 1_000 }]);
  const choose: ChooseSpeech = (settings, numberVoice) =>
    chooseSpeech(
      { ttsProvider: settings.tts_provider, ttsVoice: settings.tts_voice, numberVoice },
      { speakers, listeners },
    );
  const prices = withOverrides(config.voicePrices);
  const postCall = createPostCall(services);
  const plan: typeof postCall.plan = async (tx, call) => {
    await postCall.plan(tx, call);
    await services.recordingMover.plan(tx, call);
  };
  jobs.define(postCallQueue, postCall.run);

  /** Calls without a speech provider are refused elsewhere, and cost nothing here. */
  function speechOf({ bot, ttsVoice = null }: CallToOpen): SpeechUse {
    const speech = choose(bot.settings, ttsVoice);
    if ('missing' in speech) return { listener: '', speaker: '' };
    return { listener: speech.listener.provider, speaker: speech.speaker.provider };
  }

  /** True, or why a bot cannot hear or speak. */
  function isVoiceAvailable(settings: BotSettings): true | string {
    const speech = choose(settings, null);
    if ('missing' in speech) return speech.missing;
    return (speech.listener.lagMs ?? 0) > maxLagMs ? 'Speech recognition is too far behind.' : true;
  }

  const dialing = createDialing({ ...services, dialLimits: config.dialLimits });
  const openCall = createOpenCall({ ...services, prices, speechOf, plan, dialing });
  const endCall = createEndCall({ ...services, plan });
  let transport: VoiceTransport | undefined;
  const voiceNumbers = createVoiceNumberService({
    ...services,
    transport: config.voice && {
      canCallFrom: async (number) => transport?.canCallFrom(number),
    },
  });
  const transfers = createTransfers({ ...services, prices, endCall, network: () => transport?.passedOn });
  const transcript = createTranscript(services);
  const exchange = createExchange({
    ...services,
    prices,
    numbers: voiceNumbers,
    dialing,
    openCall,
    endCall,
    transfers,
    transcript,
    chooseSpeech: choose,
    cancel: (callId) => transport?.cancel(callId),
    async hangUp({ transport: name, networkId, dialog }) {
      if (name !== transport?.name) return true;
      if (dialog !== null) return (await transport.hangUpLeft?.(dialog)) ?? true;
      if (networkId !== null) await transport.passedOn?.hangUp(networkId);
      return true;
    },
    activity: local.activity,
  });
  const twilio =
    config.voice?.transport === 'twilio'
      ? createTwilioTransport({ ...services, config: config.voice, exchange })
      : undefined;
  if (twilio) transport = twilio.transport;
  if (config.voice?.transport === 'sip') {
    const sip = createSipTransport({ config: config.voice, exchange, log });
    transport = shareLine({ ...services, transport: sip, endCall });
  }
  const outboundCalls = createOutboundCallService({
    bots,
    numbers: voiceNumbers,
    transport,
    chooseSpeech: choose,
    dialing,
    openCall,
    endCall,
    stopCall: exchange.end,
  });
  const voiceCatalog = createVoiceCatalog({ ...services, speakers });
  const ofConsole: ConsoleVoiceDependencies['voice'] = {
    twilioWebhooks: (url) => ({ incoming: url + incomingPath, status: url + statusPath }),
    listening: () => listeners.map(({ provider }) => provider),
    speaking: () => speakers.map(({ provider }) => provider),
    listeningLag() {
      const { lagMs } = local.speechToText;
      return { milliseconds: lagMs, isTooMuch: lagMs > maxLagMs };
    },
    async unheardBots(workspaceId) {
      if (listeners.every(({ languages }) => languages === undefined)) return [];
      const pages = bots.listRows(workspaceId);
      const unheard: { id: string; name: string; language: string }[] = [];
      for (let page = await pages.next(); ; page = await pages.next()) {
        for (const { id, name, settings, promptBuilder } of page.value) {
          const speech = choose(settings, null);
          const tag = languageTag(promptBuilder?.language);
          if ('missing' in speech || tag === undefined || covers(speech.listener.languages, tag)) continue;
          unheard.push({ id, name, language: languageName(tag) });
        }
        if (page.done) return unheard;
      }
    },
    async dialingOf(workspaceId) {
      const { destinations, callsPerHour, callsPerDay } = await dialing.rulesOf(workspaceId);
      return { destinations: [...destinations], calls_per_hour: callsPerHour, calls_per_day: callsPerDay };
    },
    freeNumbers: voiceNumbers.listFree,
    endCall: exchange.end,
  };
  const feature = {
    services: {
      dialing,
      isVoiceAvailable,
      outboundCalls,
      voiceCatalog,
      voiceNumbers,
      voiceSamples: createVoiceSamples({ ...services, speakers, catalog: voiceCatalog }),
      webVoice: createWebVoiceService({ ...services, exchange, isVoiceAvailable, openCall }),
    },
    routes: [
      voiceNumberRoutes,
      outboundCallRoutes,
      async (http, given) => {
        if (twilio) await twilioRoutes(http, { ...given, twilio: twilio.hooks });
      },
      webVoiceRoutes,
      voiceCatalogRoutes,
    ],
    rounds: [
      { name: 'calls of lost nodes', everyMilliseconds: 3_000, work: exchange.sweep, takesOver: true },
      { name: 'hooks without a job', everyMilliseconds: 60_000, work: postCall.sweep },
    ],
    async stop(): Promise<void> {
      await exchange.stop();
      await transport?.stop();
      local.stop();
    },
  } satisfies Feature;
  return {
    ...feature,
    /** Opens the connection to the telephone network. Call when requests are answered: a trunk may take its time. */
    connect: async () => transport?.start(),
    /** What the console shows of voice, and does with calls. */
    ofConsole,
  };
}
