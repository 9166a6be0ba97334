import type { ServerResponse } from 'node:http';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { CompiledScript } from './compile.ts';

const streamHead = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Plays a compiled script into a response. Resolves to true if the script cut the connection. */
export async function play(script: CompiledScript, response: ServerResponse): Promise<boolean> {
  let written = 0;
  for (const operation of script.operations) {
    if (response.destroyed) return false;
    if (operation.type === 'wait') await delay(operation.milliseconds);
    else if (operation.type === 'write') {
      if (!response.headersSent) response.writeHead(200, streamHead);
      const left = (script.cutAtByte ?? Number.POSITIVE_INFINITY) - written;
      await write(
        response,
        operation.bytes.subarray(0, Math.min(operation.bytes.length, left)),
        script.chunkBytes,
      );
      written += operation.bytes.length;
      if (operation.bytes.length > left) return cut(response);
    } else if (operation.type === 'cut') return cut(response);
    else if (operation.type === 'end') response.end();
  }
  return false;
}

async function write(response: ServerResponse, bytes: Buffer, chunkBytes: number | undefined): Promise<void> {
  if (chunkBytes === undefined) {
    response.write(bytes);
    return;
  }
  for (let start = 0; start < bytes.length && !response.destroyed; start += chunkBytes) {
    response.write(bytes.subarray(start, start + chunkBytes));
    await nextRound();
  }
}

/** Sends what was written, then destroys the connection in the middle of the body. */
function cut(response: ServerResponse): true {
  response.socket?.destroySoon();
  return true;
}
