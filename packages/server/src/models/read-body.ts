import type { LaneResponse } from '../egress/trusted-lane.ts';

/** The body as text, cut off after so many bytes. */
export async function readBody(response: LaneResponse, mostBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) break;
  }
  response.release();
  return Buffer.concat(pieces).toString('utf8');
}
