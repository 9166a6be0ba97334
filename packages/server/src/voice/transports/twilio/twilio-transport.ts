import type { TwilioConfig } from '../../../config/voice-config.ts';
import { type CommandKind, otherNodes } from '../../../nodes/node-commands.ts';
import type { Services } from '../../../services.ts';
import { CallNotPlaced, type CallToPlace, type Exchange, type VoiceTransport } from '../call-transport.ts';
import {
  type DialForm,
  type DialNews,
  isMachine,
  readCaller,
  readDial,
  readStatus,
  type StatusForm,
} from './call-status.ts';
import { createMediaConnections } from './media-connections.ts';
import { dialSeconds } from './transfer-attempt.ts';
import { createTwilioApi, TwilioError } from './twilio-api.ts';
import {
  type FormFields,
  isSigned,
  socketBase,
  socketUrls,
  streamToken,
  webhookUrls,
} from './twilio-signature.ts';
import { connectTwiml, hangUpTwiml, rejectTwiml, type StreamParameters } from './twiml.ts';

export interface TwilioTransportOptions
  extends Pick<Services, 'lane' | 'log' | 'nodeCommands' | 'publicUrl'> {
  config: TwilioConfig;
  exchange: Exchange;
  /** How long Twilio's REST interface may take; 10 seconds by default. */
  timeoutMilliseconds?: number;
  /** How long Twilio may take to say what became of a transfer; by default longer than a phone rings. */
  dialNewsWithinMs?: number;
}

/** What the routes do when Twilio calls them. */
export type TwilioHooks = ReturnType<typeof createTwilioTransport>['hooks'];

export const incomingPath = '/voice/twilio/incoming';
export const mediaPath = '/voice/twilio/media';
export const statusPath = '/voice/twilio/status';
export const answeredPath = '/voice/twilio/answered';
export const dialedPath = '/voice/twilio/dialed';

const endedStatuses = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];
const ringSeconds = 45;
/** Until then a call has been answered or given up. */
const forgetAfterMs = 180_000;

/** To the node with the line of a caller who is being passed on: what Twilio has told this one about it. */
const callDialed: CommandKind<{ callId: string; news: DialNews }> = { name: 'twilio call dialed' };

/**
 * Calls over Twilio Media Streams. Nothing is kept between a call's webhooks, which may reach any node: its line is where its
 * WebSocket arrives. Only the node that placed a call can cancel it.
 */
export function createTwilioTransport(options: TwilioTransportOptions) {
  const { config, exchange, nodeCommands, log } = options;
  const { authToken } = config;
  const publicUrl = options.publicUrl.replace(/\/+$/, '');
  const api = createTwilioApi(options);
  const callbackUrl = (path: string, callId: string) =>
    `${publicUrl}${path}?call_id=${encodeURIComponent(callId)}`;
  const connections = createMediaConnections({
    authToken,
    exchange,
    api,
    log,
    now: () => performance.now(),
    dialedUrl: (callId) => callbackUrl(dialedPath, callId),
    dialNewsWithinMs: options.dialNewsWithinMs ?? (dialSeconds + 15) * 1_000,
  });
  let stopHearing: (() => void) | undefined;
  /** The calls that were placed here and may still ring: Twilio's id once it is known. */
  const placed = new Map<string, { sid?: string; isCancelled: boolean; timer: NodeJS.Timeout }>();

  function connect(callId: string, call: Omit<StreamParameters, 'call_id' | 'token'>): string {
    const parameters = { call_id: callId, token: streamToken(authToken, callId), ...call };
    return connectTwiml(socketBase(publicUrl) + mediaPath, parameters);
  }

  /** Unlike `completed`, this does nothing to a call that was answered. */
  function cancelAtTwilio(sid: string): void {
    api.post(`Calls/${sid}`, { Status: 'canceled' }).catch((error: unknown) => {
      log.warn({ err: error, call_sid: sid }, 'Twilio did not cancel a call.');
    });
  }

  function forget(callId: string): void {
    clearTimeout(placed.get(callId)?.timer);
    placed.delete(callId);
  }

  async function place({ callId, from, to, maxSeconds }: CallToPlace): Promise<void> {
    const max_seconds = String(maxSeconds);
    const timer = setTimeout(() => placed.delete(callId), forgetAfterMs).unref();
    const entry: { sid?: string; isCancelled: boolean; timer: NodeJS.Timeout } = {
      isCancelled: false,
      timer,
    };
    placed.set(callId, entry);
    try {
      const created = await api.post('Calls', {
        To: to,
        From: from,
        Twiml: connect(callId, { number: from, max_seconds, direction: 'outbound' }),
        StatusCallback: callbackUrl(statusPath, callId),
        StatusCallbackMethod: 'POST',
        StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
        Timeout: String(ringSeconds),
        TimeLimit: max_seconds,
        // The greeting does not wait for the result.
        MachineDetection: 'Enable',
        AsyncAmd: 'true',
        AsyncAmdStatusCallback: callbackUrl(answeredPath, callId),
        AsyncAmdStatusCallbackMethod: 'POST',
      });
      const sid = (created as { sid?: unknown } | undefined)?.sid;
      if (typeof sid !== 'string' || !/^CA[0-9a-fA-F]{32}$/.test(sid))
        throw new TwilioError(200, 'Twilio responded without the id of a call.');
      entry.sid = sid;
      if (entry.isCancelled) cancelAtTwilio(sid);
    } catch (error) {
      // Without an answer the call may have been placed: its first report says so, and it is cancelled.
      if (error instanceof TwilioError && error.status === 0) entry.isCancelled = true;
      else forget(callId);
      if (error instanceof TwilioError) throw new CallNotPlaced(error.message, { cause: error });
      throw error;
    }
  }

  const transport: VoiceTransport = {
    name: 'twilio',
    place,
    cancel(callId) {
      const entry = placed.get(callId);
      if (!entry || entry.isCancelled) return;
      entry.isCancelled = true;
      if (entry.sid !== undefined) cancelAtTwilio(entry.sid);
    },
    async canCallFrom(phoneNumber) {
      const digits = phoneNumber.replace(/^\+/, '');
      const query = { PhoneNumber: `+${digits}` };
      const owned = listOf(await api.get('IncomingPhoneNumbers', query), 'incoming_phone_numbers');
      const isSame = (one: OwnNumber) => String(one.phone_number).replace(/^\+/, '') === digits;
      const own = owned.find(isSame);
      if (own) return own.capabilities?.voice === true;
      const verified = listOf(await api.get('OutgoingCallerIds', query), 'outgoing_caller_ids');
      return verified.some(isSame) || 'not_ours';
    },
    passedOn: {
      async isOver(sid) {
        const { status } = ((await api.get(`Calls/${sid}`, {})) ?? {}) as { status?: unknown };
        return endedStatuses.includes(String(status));
      },
      async hangUp(sid) {
        await api.post(`Calls/${sid}`, { Status: 'completed' }).catch((error: unknown) => {
          const isGone = error instanceof TwilioError && [400, 404].includes(error.status);
          if (!isGone) throw error;
        });
      },
    },
    async start() {
      stopHearing = nodeCommands.handle(callDialed, ({ callId, news }) =>
        connections.find(callId)?.dialed(news),
      );
    },
    async stop() {
      stopHearing?.();
      for (const callId of placed.keys()) forget(callId);
      connections.stop();
    },
  };

  const hooks = {
    isSignedWebhook: (signature: string, pathAndQuery: string, fields: FormFields): boolean =>
      isSigned(authToken, signature, webhookUrls(publicUrl, pathAndQuery), fields),
    isSignedSocket: (signature: string, path: string): boolean =>
      isSigned(authToken, signature, socketUrls(publicUrl, path)),

    /** Returns the TwiML. */
    async incoming(form: { CallSid: string; From?: string; To: string }): Promise<string> {
      const { CallSid: networkId, From: from, To: to } = form;
      const call = { transport: 'twilio', networkId, from: readCaller(from), to } as const;
      const decision = await exchange.incoming(call);
      if (!decision.accept) return rejectTwiml(decision.reason === 'busy' ? 'busy' : 'rejected');
      const { callId, maxSeconds } = decision;
      return connect(callId, { number: to, max_seconds: String(maxSeconds), direction: 'inbound' });
    },

    /** Without an id for incoming calls, which Twilio knows by its own id. */
    async status(given: string | undefined, form: StatusForm): Promise<void> {
      const callId = given ?? (await exchange.find('twilio', form.CallSid ?? ''));
      if (callId === undefined) return;
      const news = readStatus(form);
      const unknown = placed.get(callId);
      if (unknown?.isCancelled && unknown.sid === undefined && form.CallSid && news?.type !== 'ended') {
        unknown.sid = form.CallSid;
        cancelAtTwilio(form.CallSid);
        return;
      }
      if (news?.type === 'ringing') await exchange.ringing(callId);
      if (news?.type !== 'ended') return;
      forget(callId);
      await exchange.ended(callId, news.end);
    },

    /** The detection of answering machines has come to a result. */
    async answered(callId: string, form: { CallSid: string; AnsweredBy?: string }): Promise<void> {
      if (!isMachine(form.AnsweredBy)) return;
      const end = { cause: 'voicemail' } as const;
      if (connections.finish(callId, end)) return;
      // The line is on another node, or has not been opened yet.
      await exchange.ended(callId, end);
      await api.post(`Calls/${form.CallSid}`, { Status: 'completed' }).catch((error: unknown) => {
        log.warn({ err: error, call_id: callId }, 'Twilio did not end a call to an answering machine.');
      });
    },

    /** A caller who was passed on is connected, or the attempt is over. Returns the TwiML. */
    async dialed(callId: string, form: DialForm): Promise<string> {
      const news = readDial(form);
      const line = connections.find(callId);
      if (line) line.dialed(news);
      else nodeCommands.send(callDialed, otherNodes, { callId, news });
      if (news.type === 'over') await exchange.ended(callId, { cause: 'transferred' });
      if (news.type !== 'failed') return hangUpTwiml();
      return connect(callId, { number: '', max_seconds: '', direction: 'inbound', returns: 'true' });
    },

    openMedia: connections.open,
  };
  return { transport, hooks };
}

interface OwnNumber {
  phone_number?: unknown;
  capabilities?: { voice?: unknown };
}

function listOf(body: unknown, name: string): OwnNumber[] {
  const list = (body as Record<string, unknown> | null | undefined)?.[name];
  if (!Array.isArray(list)) throw new TwilioError(200, 'Twilio responded without a list of numbers.');
  return list.filter((one): one is OwnNumber => one !== null && typeof one === 'object');
}
