import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The answer for a name: addresses, an alias, no such name, a failure, or no answer at all. */
export type DnsAnswer =
  | { addresses?: string[]; alias?: string; silentFor?: 'AAAA'; services?: DnsService[] }
  | 'unknown'
  | 'broken'
  | 'silence';

/** Where a service is (SRV). */
export interface DnsService {
  name: string;
  port: number;
  priority: number;
  weight: number;
}

export interface DnsServer {
  /** `127.0.0.1:port` */
  address: string;
  /** The name of every query, in order. */
  asked: string[];
  close(): Promise<void>;
}

const typeA = 1;
const typeCname = 5;
const typeAaaa = 28;
const typeSrv = 33;
const responseCodes = { fine: 0, broken: 2, unknown: 3 };

/** A local name server with configured answers. */
export async function startDnsServer(answerFor: (name: string) => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    asked.push(name);
    const said = answerFor(name);
    if (said === 'silence' || (typeof said === 'object' && said.silentFor === 'AAAA' && type === typeAaaa))
      return;
    socket.send(toReply(query.subarray(0, end + 4), type, said), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** `question` is the head of the query and its one question. */
function toReply(question: Buffer, type: number, said: Exclude<DnsAnswer, 'silence'>): Buffer {
  const { addresses = [], alias, services = [] } = typeof said === 'object' ? said : {};
  const fitting = addresses.filter((address) => (address.includes(':') ? typeAaaa : typeA) === type);
  const owner = alias === undefined ? Buffer.from([0xc0, 12]) : writeName(alias);
  const records = fitting.map((address) => record(owner, type, bytesOf(address)));
  if (type === typeSrv) records.push(...services.map((one) => record(owner, type, writeService(one))));
  if (alias !== undefined) records.unshift(record(Buffer.from([0xc0, 12]), typeCname, writeName(alias)));
  const head = Buffer.from(question);
  const code = typeof said === 'object' ? responseCodes.fine : responseCodes[said];
  // A response, with recursion wanted and available.
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function writeService({ name, port, priority, weight }: DnsService): Buffer {
  const fixed = Buffer.alloc(6);
  fixed.writeUInt16BE(priority, 0);
  fixed.writeUInt16BE(weight, 2);
  fixed.writeUInt16BE(port, 4);
  return Buffer.concat([fixed, writeName(name)]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** IPv6 only in full. */
function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
