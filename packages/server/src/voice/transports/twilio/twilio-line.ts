import type { Log } from '../../../log.ts';
import { type Line, type LineEnd, type LineEvents, TransferFailed } from '../transport.ts';
import { createEarlyEvents } from './early-events.ts';
import { createInboundAudio } from './inbound-audio.ts';
import type { MediaMessage } from './media-message.ts';
import { createPlayout } from './playout.ts';
import { type TwilioApi, TwilioError } from './twilio-api.ts';
import { dialTwiml } from './twiml.ts';

/** Our side of the WebSocket that Twilio has opened. */
export interface MediaSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

export interface TwilioLineOptions {
  socket: MediaSocket;
  api: TwilioApi;
  callSid: string;
  streamSid: string;
  /** The number of ours, which people see who are passed on. */
  number: string;
  /** After which Twilio ends the call. */
  maxSeconds: number;
  log: Log;
  /** A clock that only moves forward, in milliseconds. */
  now(): number;
  onOver(): void;
}

export interface TwilioLine {
  line: Line;
  onMessage(message: MediaMessage): void;
  /** The socket is closed. */
  onClose(): void;
  /** Ends the line and the call, for a reason that only the network knows. */
  finish(end: LineEnd): void;
}

const tickMs = 100;
/** Twilio closes the stream of a call that is passed on by itself. */
const closeAfterTransferMs = 2_000;
const normalClosure = 1000;

export function createTwilioLine(options: TwilioLineOptions): TwilioLine {
  const { socket, api, callSid, streamSid, number, maxSeconds, log, now, onOver } = options;
  const openedAt = now();
  const early = createEarlyEvents();
  const tell = (message: object) => socket.send(JSON.stringify({ ...message, streamSid }));
  const playout = createPlayout({
    now,
    sendAudio: (frame) => tell({ event: 'media', media: { payload: frame.toString('base64') } }),
    sendMark: (name) => tell({ event: 'mark', mark: { name } }),
    sendClear: () => tell({ event: 'clear' }),
  });
  const receive = createInboundAudio((frame) => early.onAudio(frame));
  let isOver = false;
  let isTransferring = false;
  /** How the line ends if the transfer, whose outcome is not known yet, has failed. */
  let endOtherwise: LineEnd | undefined;
  let ticking: NodeJS.Timeout | undefined;

  function tickWhileBusy(): void {
    if (playout.isBusy && !isOver) ticking ??= setInterval(tick, tickMs);
    else stopTicking();
  }

  function tick(): void {
    playout.tick();
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
    onOver();
    early.onEnd(how);
  }

  /** Closing the stream ends the call too; asking for it does not depend on the stream. */
  function hangUp(how: LineEnd): void {
    if (isOver) return;
    end(how);
    socket.close(normalClosure, 'The call is over.');
    api.post(`Calls/${callSid}`, { Status: 'completed' }).catch((error: unknown) => {
      // A call that has ended already cannot be ended.
      const isKnown = error instanceof TwilioError && error.status >= 400 && error.status < 500;
      log[isKnown ? 'debug' : 'warn']({ err: error, call_sid: callSid }, 'Twilio did not end a call.');
    });
  }

  function endByNetwork(how: LineEnd): void {
    if (isTransferring) endOtherwise ??= how;
    else end(how);
  }

  async function transfer(to: string): Promise<void> {
    if (isOver || isTransferring) throw new TransferFailed('The line has ended.');
    isTransferring = true;
    try {
      await api.post(`Calls/${callSid}`, { Twiml: dialTwiml(number, to) });
    } catch (error) {
      isTransferring = false;
      if (endOtherwise) end(endOtherwise);
      const message = error instanceof TwilioError ? error.message : 'Twilio failed.';
      throw new TransferFailed(message, { cause: error });
    }
    end({ cause: 'transferred' });
    setTimeout(() => socket.close(normalClosure, 'The call was passed on.'), closeAfterTransferMs).unref();
  }

  /** The stream stops when the caller hangs up, and when the call has lasted too long. */
  function stopped(): LineEnd {
    const isTimeUp = now() - openedAt >= (maxSeconds - 1) * 1_000;
    return { cause: isTimeUp ? 'time_limit' : 'remote_hangup' };
  }

  const line: Line = {
    format: 'mulaw-8000',
    listen: (events: LineEvents) => early.listen(events),
    send(audio) {
      if (isOver) return;
      playout.send(audio);
      tickWhileBusy();
    },
    clear() {
      if (isOver) return;
      playout.clear();
      tickWhileBusy();
    },
    drained: () => (isOver ? Promise.resolve('cleared') : playout.drained()),
    get playedMs() {
      return playout.playedMs;
    },
    get queuedMs() {
      return playout.queuedMs;
    },
    transfer,
    hangUp: () => hangUp({ cause: 'local_hangup' }),
  };

  return {
    line,
    onMessage(message) {
      if (isOver) return;
      switch (message.event) {
        case 'media':
          receive(message);
          break;
        case 'mark':
          playout.onMark(message.name);
          tickWhileBusy();
          break;
        case 'dtmf':
          early.onDigit(message.digit);
          break;
        case 'stop':
          endByNetwork(stopped());
          break;
        case 'start':
        case 'other':
          break;
      }
    },
    onClose() {
      const how: LineEnd = { cause: 'failed', detail: 'The connection with Twilio was lost.' };
      if (isTransferring) endByNetwork(how);
      else hangUp(how);
    },
    finish: hangUp,
  };
}
