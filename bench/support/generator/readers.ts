import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenReadersJob, ReaderLagsJob, Spread } from './job.ts';
import { createLagReading, type LagReading } from './lag-reading.ts';
import { spread } from './spread.ts';

const batchSize = 50;
const patienceMilliseconds = 10_000;

/** Readers that take what comes and forget it: bare sockets, so that the memory is the server's own. */
export function createReaders() {
  const sockets = new Set<Socket>();
  /** By path. */
  const readings = new Map<string, LagReading[]>();

  async function openOne(url: URL, path: string, lines: string, isMeasured: boolean): Promise<void> {
    const socket = connect(Number(url.port), url.hostname);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\n${lines}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const status = answer.toString('latin1', 0, 12);
    if (status !== 'HTTP/1.1 200') throw new Error(`A reader was refused: ${status}`);
    socket.on('error', () => undefined);
    if (isMeasured) {
      const reading = createLagReading();
      readings.set(path, [...(readings.get(path) ?? []), reading]);
      socket.setEncoding('latin1').on('data', (chunk: string) => void reading.push(chunk));
    }
    socket.resume();
  }

  return {
    async open(job: OpenReadersJob): Promise<number> {
      const { url, headers, paths, measureEvery, inOrder } = job;
      const target = new URL(url);
      const lines = Object.entries({ host: target.host, ...headers })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
      const waiting = paths.entries();
      const work = async () => {
        for (const [index, path] of waiting) {
          await openOne(target, path, lines, measureEvery !== undefined && index % measureEvery === 0);
        }
      };
      await Promise.all(Array.from({ length: inOrder ? 1 : batchSize }, work));
      return sockets.size;
    },

    /** Of several readers of the same path, only the slowest counts: with one port, it is unknown which process has which. */
    async lags({ tokens }: ReaderLagsJob): Promise<Spread> {
      const all = [...readings.values()];
      const received = () => all.flat().reduce((sum, { lags }) => sum + lags.length, 0);
      const giveUpAt = performance.now() + patienceMilliseconds;
      while (received() < tokens) {
        if (performance.now() > giveUpAt)
          throw new Error(`Readers miss ${tokens - received()} of ${tokens} tokens.`);
        await delay(20);
      }
      const latest = all.map((same) => same.reduce((one, other) => (mean(other) > mean(one) ? other : one)));
      return spread(latest.flatMap(({ lags }) => lags));
    },

    close(): number {
      const open = sockets.size;
      for (const socket of sockets) socket.destroy();
      readings.clear();
      return open;
    },
  };
}

function mean({ lags }: LagReading): number {
  return lags.reduce((sum, lag) => sum + lag, 0) / lags.length;
}
