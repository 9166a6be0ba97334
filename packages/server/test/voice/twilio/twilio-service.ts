import { createTrustedLane } from '../../../src/egress/trusted-lane.ts';
import { createFrontDoor } from '../../../src/http/front-door.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import { createWebSockets } from '../../../src/http/web-sockets.ts';
import { createLog } from '../../../src/lib/log.ts';
import type { CommandKind } from '../../../src/nodes/node-commands.ts';
import type {
  Exchange,
  IncomingCall,
  IncomingDecision,
  Line,
  LineEnd,
  VoiceTransport,
} from '../../../src/voice/transports/call-transport.ts';
import { twilioRoutes } from '../../../src/voice/transports/twilio/twilio.routes.ts';
import {
  createTwilioTransport,
  type TwilioTransportOptions,
} from '../../../src/voice/transports/twilio/twilio-transport.ts';
import { type CommandNode, startCommandNode } from '../../support/command-node.ts';
import { patienceMs } from '../../support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import type { FakeTwilio } from '../../support/voice/fake-twilio.ts';

/** What the transport has reported, oldest first. */
export interface Reports {
  incoming: IncomingCall[];
  ringing: string[];
  ended: { callId: string; end: LineEnd }[];
}

export interface TwilioService {
  url: string;
  transport: VoiceTransport;
  reports: Reports;
  decide: (call: IncomingCall) => IncomingDecision;
  /** The calls from outside, by Twilio's ids. */
  known: Map<string, string>;
  /** The line of a call, once it is connected. */
  lineOf(callId: string): Promise<Line>;
  nodeCommands: CommandNode;
  /** Waits until this node has carried out what the other has sent to it. */
  hearsFrom(other: TwilioService): Promise<void>;
  stop(): Promise<void>;
}

/** Commands of one node to another are carried out in their order. */
const lastOfAll: CommandKind<object, boolean> = { name: 'last of all' };

/** The transport and its routes on a real socket, with an exchange that only takes notes. */
export async function startTwilioService(
  fake: FakeTwilio,
  options: Pick<TwilioTransportOptions, 'timeoutMilliseconds' | 'dialNewsWithinMs'> = {},
  /** Of nodes that reach each other. */
  shared?: TestDatabase,
): Promise<TwilioService> {
  const door = createFrontDoor();
  const { port } = await door.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const log = createLog({ level: 'silent', readable: false });
  const lane = createTrustedLane();
  const store = shared ?? (await createTestDatabase());
  const nodeCommands = await startCommandNode(store.database);
  nodeCommands.handle(lastOfAll, () => true);
  const reports: Reports = { incoming: [], ringing: [], ended: [] };
  const lines = new Map<string, Line>();
  const waiting = new Map<string, (line: Line) => void>();
  const service: TwilioService = {
    url,
    transport: undefined as unknown as VoiceTransport,
    reports,
    known: new Map(),
    decide: () => ({ accept: false, reason: 'unknown_number' }),
    lineOf(callId) {
      const line = lines.get(callId);
      return line ? Promise.resolve(line) : new Promise((resolve) => waiting.set(callId, resolve));
    },
    nodeCommands,
    async hearsFrom(other) {
      const isHeard = await other.nodeCommands.ask(lastOfAll, nodeCommands.nodeId, {}, patienceMs);
      if (!isHeard) throw new Error('The other node was not heard.');
    },
    async stop() {
      await service.transport.stop();
      await door.close(0);
      await http.close();
      await lane.close();
      await nodeCommands.close();
      if (!shared) await store.drop();
    },
  };
  const exchange: Exchange = {
    expect: async () => ({ accept: false, reason: 'unavailable' }),
    async incoming(call) {
      reports.incoming.push(call);
      return service.decide(call);
    },
    find: async (_transport, networkId) => service.known.get(networkId),
    async ringing(callId) {
      reports.ringing.push(callId);
    },
    async connected(callId, line) {
      lines.set(callId, line);
      waiting.get(callId)?.(line);
    },
    async ended(callId, end) {
      reports.ended.push({ callId, end });
    },
  };
  const config = { accountSid: fake.accountSid, authToken: fake.authToken, baseUrl: fake.url };
  const { transport, hooks } = createTwilioTransport({
    config,
    publicUrl: url,
    exchange,
    nodeCommands,
    lane,
    log,
    ...options,
  });
  service.transport = transport;
  await transport.start();
  const http = await createHttpServer({
    door,
    log,
    publicUrl: url,
    authenticator: {
      authenticate: async () => undefined,
      authenticateAgain: async () => undefined,
      preflight: async () => undefined,
    },
    trustedProxies: [],
  });
  const openWebSockets = createWebSockets({ upgrades: door.upgrades, log });
  await twilioRoutes(http, { twilio: hooks, openWebSockets });
  await http.ready();
  return service;
}
