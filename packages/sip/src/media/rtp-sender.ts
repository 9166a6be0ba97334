import { randomBytes, randomInt } from 'node:crypto';
import { frameTicks } from './codec.ts';
import { type RtpPacket, writeRtp } from './rtp-packet.ts';

/** Numbers our packets. */
export function createRtpSender() {
  const source = randomBytes(4).readUInt32BE();
  let sequence = randomInt(0x8000);
  let timestamp = randomInt(0x8000_0000);
  let eventTimestamp = timestamp;
  // The marker tells receivers that they may adjust their buffers here.
  let isAfterPause = true;

  function write(fields: Pick<RtpPacket, 'payloadType' | 'payload' | 'marker' | 'timestamp'>): Buffer {
    const packet = writeRtp({ ...fields, sequence, source });
    sequence = (sequence + 1) & 0xffff;
    timestamp = (timestamp + frameTicks) >>> 0;
    return packet;
  }

  return {
    /** The packet of the next frame. */
    audio(payloadType: number, payload: Buffer): Buffer {
      const marker = isAfterPause;
      isAfterPause = false;
      return write({ payloadType, payload, marker, timestamp });
    },
    /** A packet of a pressed key instead of a frame; all packets of a press begin where its first one does. */
    event(payloadType: number, payload: Buffer, isFirst: boolean): Buffer {
      if (isFirst) eventTimestamp = timestamp;
      isAfterPause = true;
      return write({ payloadType, payload, marker: isFirst, timestamp: eventTimestamp });
    },
    /** Time has passed in which nothing was sent. */
    skip(frames: number): void {
      timestamp = (timestamp + frames * frameTicks) >>> 0;
      isAfterPause = true;
    },
  };
}
