import type { Services } from '../../../services.ts';
import { frameMs, silence } from '../../audio/format.ts';
import {
  type Line,
  type LineEnd,
  type LineEvents,
  type PassedOn,
  type TransferAnnouncement,
  TransferFailed,
} from '../call-transport.ts';
import { type DialNews, isDialAnswered } from './call-status.ts';
import { createInboundAudio } from './inbound-audio.ts';
import type { MediaMessage } from './media-message.ts';
import { createPlayout } from './playout.ts';
import { createTransferAttempt, dialSeconds, type TransferAttempt } from './transfer-attempt.ts';
import { type TwilioApi, TwilioError } from './twilio-api.ts';
import { addressOfAnnouncement, dialTwiml } from './twiml.ts';

/** Our side of the WebSocket that Twilio has opened. */
export interface MediaSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

export interface MediaStream {
  socket: MediaSocket;
  streamSid: string;
}

/** What happens on a stream. */
export interface StreamEvents {
  onMessage(message: MediaMessage): void;
  /** The socket is closed. */
  onClose(): void;
}

export interface TwilioLineOptions extends Pick<Services, 'log'> {
  api: TwilioApi;
  callSid: string;
  /** Our number, which is shown to the person a caller is transferred to. */
  number: string;
  /** Where Twilio tells what became of a transfer. */
  dialedUrl: string;
  /** After which Twilio ends the call. */
  maxSeconds: number;
  /** How long Twilio may take to say what became of a transfer. */
  dialNewsWithinMs: number;
  /** A clock that only moves forward, in milliseconds. */
  now(): number;
  onOver(): void;
}

export type TwilioLine = ReturnType<typeof createTwilioLine>;

const tickMs = 100;
/** Twilio closes the stream of a call that is passed on by itself; if we did, it might take the call as over. */
const closeAfterTransferMs = 2_000;
const normalClosure = 1000;

export function createTwilioLine(options: TwilioLineOptions) {
  const { api, callSid, number, dialedUrl, maxSeconds, log, now, onOver } = options;
  const openedAt = now();
  const early = createEarlyEvents();
  let stream: MediaStream | undefined;
  const tell = (message: object) =>
    stream?.socket.send(JSON.stringify({ ...message, streamSid: stream.streamSid }));
  const playout = createPlayout({
    now,
    sendAudio: (frame) => tell({ event: 'media', media: { payload: frame.toString('base64') } }),
    sendMark: (name) => tell({ event: 'mark', mark: { name } }),
    sendClear: () => tell({ event: 'clear' }),
  });
  const quiet = silence('mulaw-8000', frameMs);
  let isOver = false;
  let attempt: TransferAttempt | undefined;
  /** How the line ends if the transfer, whose outcome is not known yet, is not even begun. */
  let endOtherwise: LineEnd | undefined;
  let passedOn: PassedOn | undefined;
  let ticking: NodeJS.Timeout | undefined;

  function tickWhileBusy(): void {
    if ((playout.isBusy || attempt) && !isOver) ticking ??= setInterval(tick, tickMs);
    else stopTicking();
  }

  function tick(): void {
    playout.tick();
    // Recognizers close connections without audio.
    if (!stream) for (let ms = 0; ms < tickMs; ms += frameMs) early.onAudio(quiet);
    tickWhileBusy();
  }

  function stopTicking(): void {
    clearInterval(ticking);
    ticking = undefined;
  }

  function end(how: LineEnd): void {
    if (isOver) return;
    isOver = true;
    stopTicking();
    playout.end();
    attempt?.close();
    onOver();
    early.onEnd(how);
  }

  /** Closing the stream ends the call too; asking for it does not depend on the stream. */
  function hangUp(how: LineEnd): void {
    if (isOver) return;
    end(how);
    stream?.socket.close(normalClosure, 'The call is over.');
    api.post(`Calls/${callSid}`, { Status: 'completed' }).catch((error: unknown) => {
      // A call that has ended already cannot be ended.
      const isKnown = error instanceof TwilioError && error.status >= 400 && error.status < 500;
      log[isKnown ? 'debug' : 'warn']({ err: error, call_sid: callSid }, 'Twilio did not end a call.');
    });
  }

  /** Does nothing if the caller came back on another stream, which can be sooner than Twilio confirms that they are passed on. */
  function leave(left: MediaStream | undefined): void {
    if (!left || stream !== left) return;
    playout.end();
    stream = undefined;
    const close = () => left.socket.close(normalClosure, 'The call was passed on.');
    setTimeout(close, closeAfterTransferMs).unref();
  }

  /** Silence is not success. If Twilio does not answer either, they may be talking: Twilio is asked again until the call is over. */
  async function askAbout(own: TransferAttempt): Promise<void> {
    const isAnswered = await api
      .get('Calls', { ParentCallSid: callSid })
      .then(isDialAnswered, (error: unknown) => {
        log.warn({ err: error, call_sid: callSid }, 'Twilio did not say what became of a transfer.');
        return true;
      });
    if (isAnswered) own.answered();
    // The caller may have come back meanwhile.
    else if (attempt === own)
      hangUp({ cause: 'failed', detail: 'It is not known whether a transfer succeeded.' });
  }

  async function transfer(to: string, announcement?: TransferAnnouncement): Promise<void> {
    if (isOver || attempt) throw new TransferFailed('The line has ended, or is being transferred.');
    const own = createTransferAttempt({
      newsWithinMs: options.dialNewsWithinMs,
      onNoNews: () => void askAbout(own),
      onNotBack: () => hangUp({ cause: 'failed', detail: 'The caller did not come back from a transfer.' }),
    });
    // The promise that is awaited below rejects instead.
    own.outcome.catch(() => undefined);
    attempt = own;
    endOtherwise = undefined;
    const left = stream;
    try {
      const maxTalkSeconds = Math.floor(Math.max(maxSeconds - (now() - openedAt) / 1_000, 1));
      const dialed = { callerId: number, to, url: dialedUrl, seconds: dialSeconds, maxTalkSeconds };
      const Twiml = dialTwiml({
        ...dialed,
        announceUrl: announcement && addressOfAnnouncement(dialedUrl, announcement),
      });
      await api.post(`Calls/${callSid}`, { Twiml });
    } catch (error) {
      attempt = undefined;
      own.close();
      if (endOtherwise) end(endOtherwise);
      const message = error instanceof TwilioError ? error.message : 'Twilio failed.';
      throw new TransferFailed(message, { cause: error });
    }
    leave(left);
    tickWhileBusy();
    await own.outcome;
    passedOn = { networkId: callSid, to, at: new Date() };
    end({ cause: 'transferred' });
  }

  /** The stream stops when the caller hangs up, and when the call has lasted too long. */
  function stopped(): LineEnd {
    const isTimeUp = now() - openedAt >= (maxSeconds - 1) * 1_000;
    return { cause: isTimeUp ? 'time_limit' : 'remote_hangup' };
  }

  /** The first stream of the call, or the one after a transfer that failed; undefined if it was not expected. */
  function attach(next: MediaStream, isBack: boolean): StreamEvents | undefined {
    const isExpected = isBack ? attempt !== undefined : stream === undefined && attempt === undefined;
    if (isOver || !isExpected) return undefined;
    attempt?.back();
    leave(stream);
    stream = next;
    attempt = undefined;
    endOtherwise = undefined;
    const receive = createInboundAudio((frame) => early.onAudio(frame));
    return {
      onMessage(message) {
        if (isOver || stream !== next) return;
        if (message.event === 'media') receive(message);
        if (message.event === 'dtmf') early.onDigit(message.digit);
        if (message.event === 'mark') {
          playout.onMark(message.name);
          tickWhileBusy();
        }
        if (message.event !== 'stop') return;
        if (attempt) endOtherwise ??= stopped();
        else end(stopped());
      },
      onClose() {
        if (stream !== next) return;
        const how: LineEnd = { cause: 'failed', detail: 'The connection with Twilio was lost.' };
        if (attempt) endOtherwise ??= how;
        else hangUp(how);
      },
    };
  }

  const line: Line = {
    format: 'mulaw-8000',
    networkId: callSid,
    listen: (events: LineEvents) => early.listen(events),
    send(audio) {
      if (isOver || !stream) return;
      playout.send(audio);
      tickWhileBusy();
    },
    clear() {
      if (isOver) return;
      playout.clear();
      tickWhileBusy();
    },
    get playedMs() {
      return playout.playedMs;
    },
    get queuedMs() {
      return playout.queuedMs;
    },
    transfer,
    reportsTransfers: true,
    get passedOn() {
      return passedOn;
    },
    hangUp: () => hangUp({ cause: 'local_hangup' }),
  };

  return {
    line,
    attach,
    /** Ends the line and the call, for a reason that only the network knows. */
    finish: hangUp,
    /** What became of a transfer. */
    dialed(news: DialNews): void {
      if (news.type === 'hung_up') hangUp({ cause: 'remote_hangup' });
      if (news.type === 'answered' || news.type === 'over') attempt?.answered();
      if (news.type === 'failed') attempt?.failed(news.reason);
    },
  };
}

/** Five seconds of audio: the line has a listener long before that, or the call is over. */
const maxEarly = 250;

/** Keeps what happens on a line until it has a listener. */
function createEarlyEvents(): LineEvents & { listen(events: LineEvents): void } {
  let listener: LineEvents | undefined;
  let kept: ((events: LineEvents) => void)[] = [];

  function pass(event: (events: LineEvents) => void): void {
    if (listener) return event(listener);
    kept.push(event);
    // By then the oldest event is audio that is no longer useful.
    if (kept.length > maxEarly) kept.shift();
  }

  return {
    listen(events) {
      if (listener) throw new Error('The line already has a listener.');
      const early = kept;
      kept = [];
      listener = events;
      for (const event of early) event(events);
    },
    onAudio: (frame) => pass((events) => events.onAudio(frame)),
    onDigit: (digit) => pass((events) => events.onDigit(digit)),
    onEnd: (end: LineEnd) => pass((events) => events.onEnd(end)),
  };
}
