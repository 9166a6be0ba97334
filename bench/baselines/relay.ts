import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A message as the chat route takes it; the bot is the name of the model here. */
export interface RelayedMessage {
  bot_id: string;
  message: string;
}

export interface RelayHooks {
  /** Before the model is asked; what it returns goes to `after`. */
  before(message: RelayedMessage): Promise<string>;
  /** When the model's stream is over and the answer is not. */
  after(conversation: string, reply: string): Promise<void>;
}

const streamHead = { 'content-type': 'text/event-stream; charset=utf-8' };
const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });

/** The minimal cost of a chat server: node:http that forwards the model's bytes, chunk by chunk. */
export function serveRelay(modelUrl: string, port: number, hooks: RelayHooks): void {
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.url === '/healthz') return void response.end('ok');
    if (incoming.method === 'GET') return response.writeHead(200, streamHead).flushHeaders();
    const message = JSON.parse(await readText(incoming)) as RelayedMessage;
    const conversation = await hooks.before(message);
    const answer = await ask(modelUrl, message);
    response.writeHead(200, streamHead);
    const pieces: string[] = [];
    answer.setEncoding('utf8');
    answer.on('data', (piece: string) => {
      pieces.push(piece);
      response.write(piece);
    });
    await new Promise((resolve, reject) => answer.once('end', resolve).once('error', reject));
    await hooks.after(conversation, textOf(pieces.join('')));
    response.end();
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
}

function ask(modelUrl: string, { bot_id: model, message }: RelayedMessage): Promise<IncomingMessage> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: message }], stream: true });
  return new Promise((resolve, reject) => {
    request(`${modelUrl}/chat/completions`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    })
      .once('response', resolve)
      .once('error', reject)
      .end(body);
  });
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** The text of a whole stream, taken out once at its end. */
function textOf(stream: string): string {
  let text = '';
  for (const line of stream.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const frame = JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] };
    text += frame.choices[0]?.delta?.content ?? '';
  }
  return text;
}
