import type { LaneResponse } from '../egress/trusted-lane.ts';

/** The body as text, cut off after `maxBytes`. */
export async function readBody(response: LaneResponse, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  await response.read((chunk) => {
    pieces.push(chunk);
    bytes += chunk.length;
    return bytes > maxBytes ? 'enough' : undefined;
  });
  response.release();
  return Buffer.concat(pieces).toString('utf8');
}
