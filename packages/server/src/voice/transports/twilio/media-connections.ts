import type { Services } from '../../../services.ts';
import type { Exchange, LineEnd } from '../call-transport.ts';
import { readMediaMessage } from './media-message.ts';
import type { TwilioApi } from './twilio-api.ts';
import { createTwilioLine, type MediaSocket, type StreamEvents, type TwilioLine } from './twilio-line.ts';
import { isStreamToken } from './twilio-signature.ts';
import { farewellTwiml } from './twiml.ts';

export interface MediaConnectionOptions extends Pick<Services, 'log'> {
  authToken: string;
  exchange: Pick<Exchange, 'connected'>;
  api: TwilioApi;
  now(): number;
  /** Where Twilio tells what became of a transfer. */
  dialedUrl(callId: string): string;
  /** How long it may take to do so. */
  dialNewsWithinMs: number;
}

/** How long Twilio has to say which call a stream belongs to. */
const startWithinMs = 10_000;
const goodbyeMs = 2_000;
const policyViolation = 1008;
const goingAway = 1001;

type Start = Extract<ReturnType<typeof readMediaMessage>, { event: 'start' }>;

/** Only the node with the line can take a caller back. */
const notTransferred = 'The call could not be transferred. Please call again later. Goodbye.';

/** The lines that are open on this node. */
export function createMediaConnections(options: MediaConnectionOptions) {
  const { authToken, exchange, api, log, now, dialedUrl, dialNewsWithinMs } = options;
  const lines = new Map<string, TwilioLine>();
  const waiting = new Set<MediaSocket>();

  /** Undefined if this line may not be opened. */
  function openStream(socket: MediaSocket, start: Start): StreamEvents | undefined {
    const { streamSid, callSid, parameters } = start;
    const { call_id: callId, token, returns } = parameters;
    if (!callId || !token || !isStreamToken(authToken, callId, token)) return undefined;
    const known = lines.get(callId);
    const stream = { socket, streamSid };
    if (returns !== undefined) return known?.attach(stream, true) ?? sayGoodbye(socket, callSid);
    return (known ?? openLine(callId, start)).attach(stream, false);
  }

  /** Twilio leaves the stream for these words; closing it earlier would end the call. */
  function sayGoodbye(socket: MediaSocket, callSid: string): StreamEvents {
    const close = () => socket.close(goingAway, 'The line is on another node.');
    setTimeout(close, goodbyeMs).unref();
    api.post(`Calls/${callSid}`, { Twiml: farewellTwiml(notTransferred) }).catch((error: unknown) => {
      log.warn({ err: error, call_sid: callSid }, 'A caller who came back from a transfer was lost.');
      close();
    });
    return { onMessage: () => undefined, onClose: () => undefined };
  }

  function openLine(callId: string, { callSid, parameters }: Start): TwilioLine {
    const { number = '', max_seconds: maxSeconds, direction } = parameters;
    const seconds = Number(maxSeconds) || Number.POSITIVE_INFINITY;
    const onOver = () => void lines.delete(callId);
    const opened = createTwilioLine({
      callSid,
      number,
      dialedUrl: dialedUrl(callId),
      maxSeconds: seconds,
      dialNewsWithinMs,
      api,
      log,
      now,
      onOver,
    });
    lines.set(callId, opened);
    if (direction === 'inbound' && Number.isSafeInteger(seconds)) limit(callSid, seconds);
    exchange.connected(callId, opened.line).catch((error: unknown) => {
      log.error({ err: error, call_id: callId }, 'A call could not be connected.');
      opened.line.hangUp();
    });
    return opened;
  }

  /** Calls of ours have the limit from the beginning; those of others get it now. */
  function limit(callSid: string, seconds: number): void {
    api.post(`Calls/${callSid}`, { TimeLimit: String(seconds) }).catch((error: unknown) => {
      log.warn({ err: error, call_sid: callSid }, "Twilio did not take a call's time limit.");
    });
  }

  return {
    open(socket: MediaSocket) {
      let opened: StreamEvents | undefined;
      const refuse = (reason: string) => {
        clearTimeout(timer);
        waiting.delete(socket);
        socket.close(policyViolation, reason);
        opened?.onClose();
      };
      const timer = setTimeout(() => refuse('The stream did not start.'), startWithinMs).unref();
      waiting.add(socket);
      return {
        onFrame(data: Buffer, isBinary: boolean): void {
          const message = isBinary ? undefined : readMediaMessage(data.toString());
          if (!message) return refuse('This is not a message of a media stream.');
          if (opened) return opened.onMessage(message);
          if (message.event !== 'start') return;
          opened = openStream(socket, message);
          if (!opened) return refuse('This stream may not open a line.');
          clearTimeout(timer);
          waiting.delete(socket);
        },
        onClose(): void {
          clearTimeout(timer);
          waiting.delete(socket);
          opened?.onClose();
        },
      };
    },

    /** Undefined if the line is not on this node. */
    find: (callId: string): TwilioLine | undefined => lines.get(callId),

    /** False if the line is not on this node. */
    finish(callId: string, end: LineEnd): boolean {
      const opened = lines.get(callId);
      opened?.finish(end);
      return opened !== undefined;
    },

    stop(): void {
      for (const { line } of lines.values()) line.hangUp();
      for (const socket of waiting) socket.close(goingAway, 'The service stops.');
      waiting.clear();
    },
  };
}
