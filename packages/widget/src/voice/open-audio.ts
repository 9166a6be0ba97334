export interface VoiceAudio {
  /** Calls with each 20 ms of the microphone, and with how far the loudspeaker is. */
  onFrame(send: (frame: ArrayBuffer) => void, isMuted: () => boolean): void;
  play(audio: ArrayBuffer): void;
  clear(clears: number): void;
}

type Recorded = [frame: Int16Array, clears: number, played: number, playedSinceClear: number, idle: number];

const headerBytes = 12;

/** The microphone and the loudspeaker. Rejects if the visitor does not allow the microphone. */
export async function openAudio(worklet: string, signal: AbortSignal): Promise<VoiceAudio> {
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
  await context.audioWorklet.addModule(worklet);
  const node = new AudioWorkletNode(context, 'line', { outputChannelCount: [1] });
  context.createMediaStreamSource(stream).connect(node).connect(context.destination);
  return {
    onFrame(send, isMuted) {
      node.port.onmessage = ({ data }: MessageEvent<Recorded>) => {
        const [samples, clears, played, playedSinceClear, idle] = data;
        // What was played last is still on its way to the ear.
        const late = Math.max(0, Math.round((context.outputLatency || 0) * 16_000) - idle);
        const frame = new ArrayBuffer(headerBytes + samples.byteLength);
        const header = new DataView(frame);
        [clears, played - late, playedSinceClear - late].forEach((value, index) =>
          header.setUint32(index * 4, Math.max(0, value), true),
        );
        if (!isMuted()) new Int16Array(frame, headerBytes).set(samples);
        send(frame);
      };
    },
    play: (audio) => node.port.postMessage(new Int16Array(audio)),
    clear: (clears) => node.port.postMessage(clears),
  };
}
