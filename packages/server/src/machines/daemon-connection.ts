import {
  closeCodes,
  type HelloFrame,
  type ProgressFrame,
  type ResultFrame,
  type ServiceFrame,
} from '@svc/contract/machine-protocol';
import { newId } from '../lib/new-id.ts';
import { createTokenBucket } from '../lib/token-bucket.ts';
import { readFrame } from './read-frame.ts';

/** How a daemon is reached. */
export interface MachineSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

export interface DaemonEvents {
  onHello(hello: HelloFrame): void;
  /** Only after `welcome`. */
  onFrame(frame: ProgressFrame | ResultFrame): void;
  /** The socket has closed. */
  onClose(): void;
}

export type DaemonConnection = ReturnType<typeof createDaemonConnection>;

const helloMs = 10_000;
/** Progress is a preview: what comes faster than readers can follow is dropped. */
const progressLimits = { framesPerSecond: 100, charactersPerSecond: 512 * 1024, burstSeconds: 2 };

/** The service's side of one connection: the order of frames, and what a daemon may send. */
export function createDaemonConnection(
  { machineId, workspaceId, name }: { machineId: string; workspaceId: string; name: string },
  socket: MachineSocket,
  events: DaemonEvents,
) {
  const { framesPerSecond, charactersPerSecond, burstSeconds } = progressLimits;
  const frames = createTokenBucket({ perSecond: framesPerSecond, capacity: framesPerSecond * burstSeconds });
  const characters = createTokenBucket({
    perSecond: charactersPerSecond,
    capacity: charactersPerSecond * burstSeconds,
  });
  let hello: HelloFrame | undefined;
  let isClosed = false;
  let wasOpen = false;
  const helloTimer = setTimeout(() => refuse('The first frame, hello, did not arrive in time.'), helloMs);
  helloTimer.unref();

  function close(code: number, reason: string): void {
    isClosed = true;
    clearTimeout(helloTimer);
    socket.close(code, reason);
  }

  function refuse(problem: string): void {
    close(closeCodes.protocolError, problem);
  }

  function send(frame: ServiceFrame): void {
    if (!isClosed) socket.send(JSON.stringify(frame));
  }

  function receive(data: Buffer, isBinary: boolean): void {
    const frame = readFrame(data, isBinary);
    if ('problem' in frame) return refuse(frame.problem);
    if (frame.type === 'hello') {
      if (hello) return refuse('The frame hello must come once.');
      hello = frame;
      clearTimeout(helloTimer);
      return events.onHello(frame);
    }
    if (!hello) return refuse('The first frame must be hello.');
    // Before its welcome a daemon can only send what belongs to an earlier connection, and gets asked for again.
    if (!wasOpen) return;
    const isTooMuch =
      frame.type === 'progress' && !(frames.tryTake(1) && characters.tryTake(frame.text.length));
    if (!isTooMuch) events.onFrame(frame);
  }

  return {
    machineId,
    workspaceId,
    connectionId: newId(),
    /** Of the daemon's stored state: only the same instance knows the operations that were sent before. Known after the hello. */
    get instanceId(): string {
      return hello?.instance_id ?? '';
    },
    handlers: {
      onFrame(data: Buffer, isBinary: boolean): void {
        if (!isClosed) receive(data, isBinary);
      },
      onClose(): void {
        isClosed = true;
        clearTimeout(helloTimer);
        events.onClose();
      },
    },
    /** Closed by either side: nothing is sent or received any more. */
    get isClosed(): boolean {
      return isClosed;
    },
    /** Operations may be sent from now on. */
    welcome(): void {
      wasOpen = true;
      send({ type: 'welcome', machine: { id: machineId, name } });
    },
    get wasOpen(): boolean {
      return wasOpen;
    },
    /** Whether its end was handled. */
    hasLeft: false,
    /** Frames to a closed connection are dropped, so callers must handle its end. */
    send,
    close,
  };
}
