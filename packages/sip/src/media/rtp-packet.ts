/** A packet of the real-time transport protocol (RFC 3550). */
export interface RtpPacket {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  source: number;
  payload: Buffer;
}

const fixedHeader = 12;

/** `undefined` if it is not one. */
export function parseRtp(data: Buffer): RtpPacket | undefined {
  const start = rtpHeaderBytes(data);
  if (start === undefined) return undefined;
  const first = data.readUInt8(0);
  const second = data.readUInt8(1);
  const padding = first & 0x20 ? (data.at(-1) ?? 0) : 0;
  const end = data.length - padding;
  if (end < start) return undefined;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: data.readUInt16BE(2),
    timestamp: data.readUInt32BE(4),
    source: data.readUInt32BE(8),
    payload: data.subarray(start, end),
  };
}

/** How long the header is; `undefined` if it is not one. */
export function rtpHeaderBytes(data: Buffer): number | undefined {
  if (data.length < fixedHeader || data.readUInt8(0) >> 6 !== 2) return undefined;
  const first = data.readUInt8(0);
  const second = data.readUInt8(1);
  // Reports about the audio (RTCP) may come to the same port (RFC 5761). We neither need nor send any.
  if (second >= 192 && second <= 223) return undefined;
  let length = fixedHeader + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (data.length < length + 4) return undefined;
    length += 4 + data.readUInt16BE(length + 2) * 4;
  }
  return length > data.length ? undefined : length;
}

export function writeRtp(packet: RtpPacket): Buffer {
  const data = Buffer.allocUnsafe(fixedHeader + packet.payload.length);
  data.writeUInt8(0x80, 0);
  data.writeUInt8((packet.marker ? 0x80 : 0) | packet.payloadType, 1);
  data.writeUInt16BE(packet.sequence, 2);
  data.writeUInt32BE(packet.timestamp, 4);
  data.writeUInt32BE(packet.source, 8);
  packet.payload.copy(data, fixedHeader);
  return data;
}
