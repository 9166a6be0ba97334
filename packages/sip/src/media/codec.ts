import { type AudioFormat, decodeAudio, encodeAudio, frameMs } from '../audio-format.ts';
import { alawToMulaw, mulawToAlaw, mulawToPcm, pcmToMulaw } from '../g711.ts';
import { createG722Decoder, createG722Encoder } from '../g722.ts';
import { createDoubler, createHalver } from '../qmf.ts';

/** How packets carry audio. All have 8 bytes per millisecond, and as many ticks of the clock of RTP, even G.722 (RFC 3551). */
export type Encoding = 'pcmu' | 'pcma' | 'g722';

export const ticksPerMs = 8;
export const frameTicks = ticksPerMs * frameMs;

/** The format in which a call with this encoding loses nothing. */
export function formatOf(encoding: Encoding): AudioFormat {
  return encoding === 'g722' ? 'pcm16-16000' : 'mulaw-8000';
}

/** Converts the payloads of one stream, in their order, into the audio of a call. */
export function createDecoder(encoding: Encoding, format: AudioFormat): (payload: Buffer) => Buffer {
  const toMulaw = encoding === 'pcma' ? alawToMulaw : (payload: Buffer) => payload;
  if (encoding === 'g722') {
    const decode = createG722Decoder();
    if (format === 'pcm16-16000') return (payload) => encodeAudio(format, decode(payload));
    const halve = createHalver();
    return (payload) => pcmToMulaw(halve(decode(payload)));
  }
  if (format === 'mulaw-8000') return toMulaw;
  const double = createDoubler();
  return (payload) => encodeAudio(format, double(mulawToPcm(toMulaw(payload))));
}

/** Converts the frames of a call, in their order, into payloads. */
export function createEncoder(encoding: Encoding, format: AudioFormat): (frame: Buffer) => Buffer {
  const fromMulaw = encoding === 'pcma' ? mulawToAlaw : (frame: Buffer) => frame;
  if (encoding === 'g722') {
    const encode = createG722Encoder();
    if (format === 'pcm16-16000') return (frame) => encode(decodeAudio(format, frame));
    const double = createDoubler();
    return (frame) => encode(double(mulawToPcm(frame)));
  }
  if (format === 'mulaw-8000') return fromMulaw;
  const halve = createHalver();
  return (frame) => fromMulaw(pcmToMulaw(halve(decodeAudio(format, frame))));
}
