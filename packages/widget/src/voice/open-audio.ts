export interface VoiceAudio {
  /** Calls with each 20 ms of the microphone, and with how far the loudspeaker is. */
  onFrame(send: (frame: ArrayBuffer) => void, isMuted: () => boolean): void;
  play(audio: ArrayBuffer): void;
  clear(clears: number): void;
}

type Recorded = [frame: Int16Array, clears: number, played: number, playedSinceClear: number, idle: number];

const headerBytes = 12;

/**
 * The microphone and the loudspeaker. Rejects if the visitor does not allow the microphone. `onLost`: it was unplugged, or the
 * visitor does not allow it any more.
 */
export async function openAudio(signal: AbortSignal, onLost: () => void): Promise<VoiceAudio> {
  // Before anything is awaited, because browsers let pages play sound only when a button was pressed.
  const context = new AudioContext();
  let stream: MediaStream | undefined;
  const close = () => {
    for (const track of stream?.getTracks() ?? []) track.stop();
    if (context.state !== 'closed') void context.close();
  };
  signal.addEventListener('abort', close);
  stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  if (signal.aborted) close();
  for (const track of stream.getTracks()) track.addEventListener('ended', onLost);
  // This file is the audio thread's, too: pages with a policy for scripts allow no other place for it.
  await context.audioWorklet.addModule(import.meta.url);
  const node = new AudioWorkletNode(context, 'line', { outputChannelCount: [1] });
  context.createMediaStreamSource(stream).connect(node).connect(context.destination);
  void context.resume();
  return {
    onFrame(send, isMuted) {
      node.port.addEventListener('message', ({ data }: MessageEvent<Recorded>) => {
        const [samples, clears, played, playedSinceClear, idle] = data;
        // What was played last is still on its way to the ear.
        const late = Math.max(0, Math.round((context.outputLatency || 0) * 16_000) - idle);
        const frame = new ArrayBuffer(headerBytes + samples.byteLength);
        new Uint32Array(frame, 0, 3).set(
          [clears, played - late, playedSinceClear - late].map((value) => Math.max(0, value)),
        );
        if (!isMuted()) new Int16Array(frame, headerBytes).set(samples);
        send(frame);
      });
      node.port.start();
    },
    play: (audio) => node.port.postMessage(new Int16Array(audio)),
    clear: (clears) => node.port.postMessage(clears),
  };
}
