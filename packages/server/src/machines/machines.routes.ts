import { IdParams, Message } from '@svc/contract/common';
import { maxFrameBytes } from '@svc/contract/machine-protocol';
import {
  Machine,
  MachineCreate,
  MachineIdentity,
  MachineUpdate,
  PairedMachine,
} from '@svc/contract/machines';
import { Type } from 'typebox';
import { machineOf, principalOf, workspaceOf } from '../http/access.ts';
import type { HttpApp } from '../http/http-app.ts';
import { operationsOf } from '../http/operation.ts';
import type { Services } from '../services.ts';

const operation = operationsOf('Machines');
const path = '/api/v1/machines';

/** A daemon sends progress every 200 ms for each operation, and results of at most a few hundred kilobytes. */
const socketLimits = {
  maxFrameBytes,
  maxUnreadBytes: 4 * maxFrameBytes,
  framesPerSecond: 500,
  bytesPerSecond: 4 * 1024 * 1024,
  pingEveryMs: 15_000,
};

export function machineRoutes(
  app: HttpApp,
  {
    machines,
    idempotent,
    sendList,
    openWebSockets,
  }: Pick<Services, 'idempotent' | 'machines' | 'openWebSockets' | 'sendList'>,
): void {
  app.get(
    path,
    operation({
      ability: 'machines:read',
      id: 'listMachines',
      summary: 'List paired machines, oldest first',
      description: 'Revoked ones too. A machine is online while its daemon is connected.',
      schema: { response: { 200: Type.Array(Machine) } },
    }),
    (request, reply) => sendList(reply, machines.list(workspaceOf(request))),
  );

  app.post(
    path,
    operation({
      ability: 'machines:write',
      id: 'pairMachine',
      summary: 'Pair a machine',
      description:
        'It belongs to the caller, who says with `PATCH` which people and bots may use it; nobody else and no bot may until then. Start the daemon `svc-machine connect` on it with the token, which is shown this one time; with an `Idempotency-Key` a repeat gets it again for 24 hours.',
      schema: { body: MachineCreate, response: { 201: PairedMachine } },
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<PairedMachine>(request, (record) =>
        machines.pair(principalOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.patch(
    `${path}/:id`,
    operation({
      ability: 'machines:write',
      id: 'updateMachine',
      summary: 'Say who may use a machine',
      description:
        'Only its owner may: the member who paired it, or who made the key that did. Both the person a bot works for and the bot must be allowed, each time it is used.',
      schema: { params: IdParams, body: MachineUpdate, response: { 200: Machine } },
    }),
    (request) => machines.update(principalOf(request), request.params.id, request.body),
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'machines:write',
      id: 'revokeMachine',
      summary: 'Revoke a machine',
      description:
        'Its key stops working and its connection is closed immediately; a repeat changes nothing. It stays in the list.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await machines.revoke(workspaceOf(request), request.params.id);
      return { message: 'The machine was revoked.' };
    },
  );

  app.get(
    '/api/machines/whoami',
    operation({
      ability: 'machine_key',
      id: 'whichMachine',
      summary: 'The machine that a key belongs to',
      schema: { response: { 200: MachineIdentity } },
    }),
    async (request) => {
      const { machineId, name } = machineOf(request);
      return { id: machineId, name };
    },
  );

  const accept = openWebSockets(socketLimits);
  app.get(
    '/api/machines/connect',
    operation({
      ability: 'machine_key',
      id: 'connectMachine',
      summary: 'Connect a daemon by WebSocket',
      description:
        'For the daemon `svc-machine`, which carries out the operations that it receives. A newer connection with the same key replaces an older one.',
      schema: { response: { 101: Type.Null() } },
      webSocket: true,
    }),
    async (request, reply) => {
      const machine = machineOf(request);
      accept(request, reply, (peer) => machines.accept(machine, peer));
      return reply;
    },
  );
}
