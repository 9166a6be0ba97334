import { VoiceCatalog as VoiceCatalogBody, VoiceSampleQuery } from '@svc/contract/voice';
import { Type } from 'typebox';
import { workspaceOf } from '../../http/access.ts';
import type { HttpApp } from '../../http/http-app.ts';
import { operationsOf } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

const operation = operationsOf('Voice');
const path = '/api/v1/voice/catalog';

export function voiceCatalogRoutes(
  app: HttpApp,
  { voiceCatalog, voiceSamples }: Pick<Services, 'voiceCatalog' | 'voiceSamples'>,
): void {
  app.get(
    path,
    operation({
      ability: 'voice:read',
      id: 'listVoices',
      summary: 'List the voices that bots can speak with',
      description:
        'Those of the speech providers that have a key. They are kept for ten minutes; a provider that fails keeps its last list.',
      schema: { response: { 200: VoiceCatalogBody } },
    }),
    async () => ({ voices: await voiceCatalog.list() }),
  );

  app.get(
    `${path}/sample`,
    operation({
      ability: 'voice:read',
      id: 'getVoiceSample',
      summary: 'Hear a voice of the catalog',
      description: 'A short sentence as a WAV file. At most ten new samples are made per minute.',
      produces: 'audio/wav',
      schema: { querystring: VoiceSampleQuery, response: { 200: Type.Unsafe<Buffer>({ format: 'binary' }) } },
      errors: ['NOT_FOUND', 'UPSTREAM_FAILED'],
    }),
    async (request, reply) => {
      const wav = await voiceSamples.get(workspaceOf(request), request.query.voice);
      return reply.headers({ 'cache-control': 'private, max-age=3600' }).type('audio/wav').send(wav);
    },
  );
}
