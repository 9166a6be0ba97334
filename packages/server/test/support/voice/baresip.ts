import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { startProgram } from './program.ts';
import { freeUdpPorts } from './udp-port.ts';

export interface BaresipOptions {
  /** A folder of its own, below the test's. */
  folder: string;
  /** What it does with calls: `ring` lets them ring until `answer` or `hangUp` is called. */
  answers?: 'auto' | 'ring';
  /** The audio that it plays, in the rate of its codec: 8 kHz, or 16 kHz with G722. It hangs up at its end, so it must be long enough. */
  plays: string;
  codec?: 'PCMU' | 'PCMA' | 'G722';
  /** The number that it answers to. */
  user?: string;
  /** How it reports pressed keys. */
  digits?: 'rtpevent' | 'info';
  /** A certificate and its key, as PEM: it then takes calls by TLS too, and only with encrypted audio. */
  certificate?: string;
}

/** A telephone. */
export interface Baresip {
  readonly port: number;
  readonly tlsPort: number;
  readonly user: string;
  readonly output: string;
  printed(text: string | RegExp): Promise<void>;
  dial(uri: string): Promise<void>;
  answer(): Promise<void>;
  /** Hangs up, or refuses the call that rings as busy. */
  hangUp(): Promise<void>;
  press(digits: string): Promise<void>;
  /** Puts the call on hold, or takes it back. */
  hold(): Promise<void>;
  resume(): Promise<void>;
  /** The recordings of what it heard, one for each call. They are complete when the call is over. */
  heard(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const { folder, plays, answers = 'auto', codec = 'PCMU', user = '+4930222', digits = 'rtpevent' } = options;
  const { certificate } = options;
  const port = await freeUdpPorts(2);
  const tlsPort = port + 1;
  const rtp = await freeUdpPorts(40);
  const control = await freePort();
  await mkdir(folder, { recursive: true });
  const recordings = join(folder, 'recordings');
  await mkdir(recordings, { recursive: true });
  const pem = join(folder, 'certificate.pem');
  if (certificate !== undefined) await writeFile(pem, certificate);
  await writeFile(
    join(folder, 'config'),
    `${[
      'poll_method select',
      'net_interface 127.0.0.1',
      `sip_listen 127.0.0.1:${port}`,
      ...(certificate === undefined ? [] : [`sip_certificate ${pem}`, 'module srtp.so']),
      `rtp_ports ${rtp}-${rtp + 39}`,
      `ctrl_tcp_listen 127.0.0.1:${control}`,
      `audio_source aufile,${plays}`,
      'audio_player aubridge,nil',
      'audio_alert aubridge,nil',
      `snd_path ${recordings}`,
      'module_path /usr/lib/baresip/modules',
      ...['g711.so', 'g722.so', 'aufile.so', 'aubridge.so', 'sndfile.so'].map((name) => `module ${name}`),
      ...['account.so', 'menu.so', 'ctrl_tcp.so'].map((name) => `module_app ${name}`),
    ].join('\n')}\n`,
  );
  const mode = answers === 'auto' ? 'auto' : 'manual';
  const address =
    certificate === undefined
      ? `<sip:${user}@127.0.0.1:${port}>`
      : `<sip:${user}@127.0.0.1:${tlsPort};transport=tls>;mediaenc=srtp-mand`;
  const account = `${address};regint=0;answermode=${mode};audio_codecs=${codec}/${codec === 'G722' ? 16_000 : 8_000}/1;dtmfmode=${digits}`;
  await writeFile(join(folder, 'accounts'), `${account}\n`);
  const program = startProgram('baresip', ['-f', folder, '-v'], folder);
  await program.printed('baresip is ready.');

  async function command(name: string, params = ''): Promise<void> {
    const socket = connect(control, '127.0.0.1');
    await once(socket, 'connect');
    const text = JSON.stringify({ command: name, params, token: '1' });
    socket.write(`${Buffer.byteLength(text)}:${text},`);
    await once(socket, 'data');
    socket.destroy();
  }

  return {
    port,
    tlsPort,
    user,
    get output() {
      return program.output;
    },
    printed: program.printed,
    dial: (uri) => command('dial', uri),
    answer: () => command('accept'),
    hangUp: () => command('hangup'),
    hold: () => command('hold'),
    resume: () => command('resume'),
    async press(keys) {
      for (const key of keys) await command('sndcode', key);
    },
    async heard() {
      const files = (await readdir(recordings)).filter((name) => name.endsWith('-dec.wav'));
      return files.toSorted().map((name) => join(recordings, name));
    },
    stop: program.stop,
  };
}
