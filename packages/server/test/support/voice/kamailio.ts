import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { patienceMs } from '../patience.ts';
import { startProgram } from './program.ts';
import { freeUdpPorts } from './udp-port.ts';

export interface KamailioOptions {
  folder: string;
  username: string;
  password: string;
  /** Which phone has which number. Phones need no password; all others do. */
  phones: Record<string, { port: number; user: string }>;
  /** The number of the registered account. */
  number: string;
  /** How it asks for the password of a call. */
  challenge?: 401 | 407;
  /** Transfers to these numbers are refused: a pattern. */
  refusesReferTo?: string;
}

/** A trunk that wants a password, and where accounts register. */
export interface Kamailio {
  readonly port: number;
  readonly output: string;
  stop(): Promise<void>;
}

export async function startKamailio(options: KamailioOptions): Promise<Kamailio> {
  const port = await freeUdpPorts(1);
  await mkdir(options.folder, { recursive: true });
  const file = join(options.folder, 'kamailio.cfg');
  await writeFile(file, configuration(options, port));
  const args = ['-f', file, '-DD', '-E', '-m', '16', '-M', '4', '-Y', options.folder];
  const program = startProgram('kamailio', args, options.folder);
  await Promise.race([
    answers(port),
    program.ended().then(() => Promise.reject(new Error(`kamailio ended:\n${program.output}`))),
  ]);
  return {
    port,
    get output() {
      return program.output;
    },
    stop: () => program.stop('SIGTERM'),
  };
}

function configuration(options: KamailioOptions, port: number): string {
  const { phones, username, password, number, challenge = 407, refusesReferTo = 'nobody' } = options;
  const modules = ['tm', 'sl', 'rr', 'pv', 'auth', 'usrloc', 'registrar', 'textops', 'siputils'];
  const isPhone = Object.values(phones).map((phone) => `$sp == ${phone.port}`);
  const [check, ask] =
    challenge === 401
      ? ['pv_www_authenticate', 'www_challenge']
      : ['pv_proxy_authenticate', 'proxy_challenge'];
  return `#!KAMAILIO
debug=0
log_stderror=yes
children=1
disable_tcp=yes
auto_aliases=no
listen=udp:127.0.0.1:${port}
${modules.map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("usrloc", "db_mode", 0)
modparam("rr", "enable_full_lr", 1)
request_route {
  if (is_method("REFER") && $hdr(Refer-To) =~ "${refusesReferTo.replaceAll('+', '')}") {
    sl_send_reply("405", "Method Not Allowed"); exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
    sl_send_reply("404", "Not here"); exit;
  }
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("REGISTER")) {
    if (!pv_www_authenticate("trunk", "${password}", "0") || $au != "${username}") { www_challenge("trunk", "1"); exit; }
    save("location"); exit;
  }
  if (!(${['$sp == 1', ...isPhone].join(' || ')})) {
    if (!${check}("trunk", "${password}", "0")) { ${ask}("trunk", "1"); exit; }
    consume_credentials();
  }
  record_route();
${Object.entries(phones)
  .map(
    ([called, phone]) =>
      `  if ($rU == "${called}") { $rU = "${phone.user}"; $du = "sip:127.0.0.1:${phone.port}"; t_relay(); exit; }`,
  )
  .join('\n')}
  if ($rU == "${number}") {
    $rU = "${username}";
    if (lookup("location")) { t_relay(); exit; }
  }
  sl_send_reply("404", "No such number");
}
`;
}

/** It is ready when it answers. */
async function answers(port: number): Promise<void> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const own = socket.address().port;
  const lines = [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${own};branch=z9hG4bKready`,
    'From: <sip:test@127.0.0.1>;tag=ready',
    `To: <sip:127.0.0.1:${port}>`,
    'Call-ID: ready',
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 10',
    'Content-Length: 0',
    '',
    '',
  ];
  let hasAnswered = false;
  socket.once('message', () => {
    hasAnswered = true;
  });
  const deadline = performance.now() + patienceMs;
  while (!hasAnswered && performance.now() < deadline) {
    socket.send(lines.join('\r\n'), port, '127.0.0.1');
    await delay(50);
  }
  socket.close();
  if (!hasAnswered) throw new Error('kamailio does not answer.');
}
