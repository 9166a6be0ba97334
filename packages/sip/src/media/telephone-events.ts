import type { RtpPacket } from './rtp-packet.ts';

const digits = '0123456789*#ABCD';
const samplesPerFrame = 160;
/** The end of a key is sent three times, in case a packet is lost. */
const endPackets = 3;

export interface DigitReader {
  /** The digit that this packet reports for the first time: many packets report the same press. */
  read(packet: Pick<RtpPacket, 'source' | 'timestamp' | 'payload'>): string | undefined;
}

/** Reads pressed keys (RFC 4733). */
export function createDigitReader(): DigitReader {
  let last: number | undefined;
  /** Some gateways send keys as a source of their own beside the audio. */
  let from: number | undefined;
  return {
    read({ source, timestamp, payload }) {
      if (payload.length < 4) return undefined;
      const digit = digits[payload.readUInt8(0)];
      // All packets of a press have its first timestamp; a packet of an earlier press is late.
      const isNew = last === undefined || source !== from || ((timestamp - last) | 0) > 0;
      if (digit === undefined || !isNew) return undefined;
      last = timestamp;
      from = source;
      return digit;
    },
  };
}

/** The payloads of one press of a key, one for each frame; `undefined` if there is no such key. */
export function digitPayloads(digit: string, frames: number): Buffer[] | undefined {
  const event = digits.indexOf(digit);
  if (event === -1 || digit.length !== 1) return undefined;
  return Array.from({ length: frames + endPackets - 1 }, (_value, index) => {
    const isEnd = index >= frames - 1;
    const payload = Buffer.alloc(4);
    payload.writeUInt8(event, 0);
    payload.writeUInt8((isEnd ? 0x80 : 0) | 10, 1);
    payload.writeUInt16BE(samplesPerFrame * Math.min(index + 1, frames), 2);
    return payload;
  });
}
