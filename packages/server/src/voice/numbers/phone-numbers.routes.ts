import { Created, IdParams, Message, Metadata, MetadataFilter } from '@svc/contract/common';
import { VoiceNumber, VoiceNumberCreate, VoiceNumberUpdate } from '@svc/contract/voice-numbers';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { metadataFilter } from '../../http/metadata-filter.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Voice');
const path = '/api/v1/voice/numbers';

export function voiceNumberRoutes(
  app: HttpApp,
  { voiceNumbers, idempotent, sendList }: Pick<Services, 'idempotent' | 'sendList' | 'voiceNumbers'>,
): void {
  app.get(
    path,
    operation({
      ability: 'voice:read',
      id: 'listVoiceNumbers',
      summary: 'List all phone numbers',
      description: 'Oldest first. `?metadata.<key>=<value>` keeps those that carry the value.',
      schema: { querystring: MetadataFilter, response: { 200: Type.Array(VoiceNumber) } },
    }),
    (request, reply) =>
      sendList(reply, voiceNumbers.list(workspaceOf(request), metadataFilter(request.query))),
  );

  app.post(
    path,
    operation({
      ability: 'voice:write',
      id: 'createVoiceNumber',
      summary: 'Let a bot answer a phone number',
      description:
        'The number belongs to the telephone account of this service. A number can be used once, with or without a plus.',
      schema: { body: VoiceNumberCreate, response: { 201: Created } },
      errors: ['NOT_FOUND', 'NUMBER_EXISTS', 'METADATA_INVALID', 'UPSTREAM_FAILED'],
      idempotent: true,
    }),
    async (request, reply) => {
      const work = idempotent<{ id: string }>(request, (record) =>
        voiceNumbers.create(workspaceOf(request), request.body, record),
      );
      return reply.code(201).send(await work);
    },
  );

  app.get(
    `${path}/:id`,
    operation({
      ability: 'voice:read',
      id: 'getVoiceNumber',
      summary: 'Read a phone number',
      schema: { params: IdParams, response: { 200: VoiceNumber } },
    }),
    (request) => voiceNumbers.get(workspaceOf(request), request.params.id),
  );

  app.put(
    `${path}/:id`,
    operation({
      ability: 'voice:write',
      id: 'updateVoiceNumber',
      summary: 'Change a phone number',
      description: 'Calls that are under way are not affected.',
      schema: { params: IdParams, body: VoiceNumberUpdate, response: { 200: Message } },
      errors: ['METADATA_INVALID', 'NOT_OUTBOUND_CAPABLE', 'UPSTREAM_FAILED'],
    }),
    async (request) => {
      await voiceNumbers.update(workspaceOf(request), request.params.id, request.body);
      return { message: 'The number was saved.' };
    },
  );

  app.delete(
    `${path}/:id`,
    operation({
      ability: 'voice:write',
      id: 'deleteVoiceNumber',
      summary: 'Remove a phone number',
      description: 'No bot answers it then. The number stays in the telephone account.',
      schema: { params: IdParams, response: { 200: Message } },
    }),
    async (request) => {
      await voiceNumbers.delete(workspaceOf(request), request.params.id);
      return { message: 'The number was removed.' };
    },
  );

  app.patch(
    `${path}/:id/metadata`,
    operation({
      ability: 'voice:write',
      id: 'replaceVoiceNumberMetadata',
      summary: "Replace a number's metadata",
      description: 'The body is the whole object; {} clears it.',
      schema: { params: IdParams, body: Metadata, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await voiceNumbers.replaceMetadata(workspaceOf(request), request.params.id, request.body);
      return { message: 'The metadata was replaced.' };
    },
  );
}
