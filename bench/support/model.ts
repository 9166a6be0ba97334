import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { chatWire } from '../../packages/server/test/scripted-model/chat-wire.ts';
import { compile } from '../../packages/server/test/scripted-model/compile.ts';
import { play } from '../../packages/server/test/scripted-model/play.ts';
import { tokens, usage } from '../../packages/server/test/scripted-model/script.ts';
import { microseconds } from './monotonic.ts';

/**
 * The scripted model for load: 60 tokens at once, or, for the model named `paced`, one every 20 ms that says when it was
 * written. It looks at nothing but the model's name, so that it stays out of the way.
 */
const count = 60;
const pace = 20;
const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const atOnce = compile([tokens(count), usage(20, count)], chatWire);

async function playPaced(response: ServerResponse): Promise<void> {
  const encoder = chatWire.createEncoder();
  response.writeHead(200, head);
  let frames = encoder.open();
  for (let index = 0; index < count && !response.destroyed; index += 1) {
    response.write(`${frames}${encoder.text(`@${microseconds()} `)}`);
    frames = '';
    await delay(pace);
  }
  const spent = { inputTokens: 20, cachedInputTokens: 0, outputTokens: count };
  response.end(encoder.close({ reason: 'stop', usage: spent }));
}

const server = createServer((incoming, response) => {
  if (incoming.method === 'GET') return void response.end('ok');
  let name: string | undefined;
  incoming.on('data', (chunk: Buffer) => {
    name ??= /"model":"([^"]*)"/.exec(chunk.toString('latin1', 0, 200))?.[1] ?? '';
  });
  incoming.on('end', () => void (name === 'paced' ? playPaced(response) : play(atOnce, response)));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
