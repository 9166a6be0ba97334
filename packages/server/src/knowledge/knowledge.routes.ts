import { IdParams, Message, Metadata } from '@svc/contract/common';
import {
  FoundPassage,
  Knowledge,
  KnowledgeCreate,
  KnowledgeDeleteQuery,
  KnowledgeQuery,
  KnowledgeRefusal,
  KnowledgeSearch,
  KnowledgeStats,
  KnowledgeUpload,
  maxUploadBytes,
  maxUploadFileBytes,
  maxUploadFiles,
  UploadOutcome,
} from '@svc/contract/knowledge';
import { Type } from 'typebox';
import { findMember, workspaceOf } from '../http/access.ts';
import { toErrorBody } from '../http/errors.ts';
import { type FormFile, formType, withForms } from '../http/form.ts';
import type { HttpApp } from '../http/http-app.ts';
import { requireRole } from '../http/member.ts';
import { metadataFilter } from '../http/metadata-filter.ts';
import { operationsOf } from '../http/operation.ts';
import { AppError } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { compileCheck } from '../validation/checker.ts';
import { guardText } from '../validation/text-guard.ts';

const operation = operationsOf('Knowledge');

interface UploadForm {
  files: FormFile[];
  title?: string;
  bot_id?: string;
  metadata?: string;
}

/** One path accepts both a JSON object and a form with files. */
const CreateBody = Type.Unsafe<KnowledgeCreate | UploadForm>({
  content: { 'application/json': { schema: KnowledgeCreate }, [formType]: { schema: KnowledgeUpload } },
});
const CreateAnswer = Type.Unsafe<Knowledge | UploadOutcome>({ anyOf: [Knowledge, UploadOutcome] });
const formLimits = {
  files: maxUploadFiles,
  fileBytes: maxUploadFileBytes,
  totalBytes: maxUploadBytes,
};
const checkMetadata = compileCheck<Record<string, string>>(Metadata);

export type KnowledgeRoutesOptions = Pick<Services, 'idempotent' | 'knowledge' | 'sendList'>;

export async function knowledgeRoutes(app: HttpApp, options: KnowledgeRoutesOptions): Promise<void> {
  const { knowledge, idempotent, sendList } = options;

  app.get(
    '/api/v1/knowledge',
    operation({
      ability: 'knowledge:read',
      id: 'listKnowledge',
      summary: 'List all knowledge',
      description: '`?metadata.<key>=<value>` keeps those that carry the value.',
      schema: { querystring: KnowledgeQuery, response: { 200: Type.Array(Knowledge) } },
    }),
    (request, reply) => {
      const { status = 'active', ...filters } = request.query;
      const metadata = metadataFilter(filters);
      return sendList(reply, knowledge.list(workspaceOf(request), { status, metadata }));
    },
  );

  app.get(
    '/api/v1/knowledge/stats',
    operation({
      ability: 'knowledge:read',
      id: 'getKnowledgeStats',
      summary: 'Count knowledge by type and by status',
      schema: { response: { 200: KnowledgeStats } },
    }),
    (request) => knowledge.stats(workspaceOf(request)),
  );

  app.get(
    '/api/v1/knowledge/:id',
    operation({
      ability: 'knowledge:read',
      id: 'getKnowledge',
      summary: 'Read a source of knowledge',
      description: 'Active ones only. Ask until `processing_status` is `completed` or `failed`.',
      schema: { params: IdParams, response: { 200: Knowledge } },
    }),
    (request) => knowledge.get(workspaceOf(request), request.params.id),
  );

  app.delete(
    '/api/v1/knowledge/:id',
    operation({
      ability: 'knowledge:write',
      id: 'deleteKnowledge',
      summary: 'Delete a source of knowledge',
      description:
        'Softly, so that it can be restored, or permanently, for which members need the role `owner`. No answer uses it from then on.',
      schema: { params: IdParams, querystring: KnowledgeDeleteQuery, response: { 200: Message } },
    }),
    async (request) => {
      const isHard = request.query.type === 'hard';
      const member = findMember(request);
      if (isHard && member) requireRole(member.role, 'owner');
      await knowledge[isHard ? 'delete' : 'deactivate'](workspaceOf(request), request.params.id);
      return { message: isHard ? 'The source was removed for good.' : 'The source is now inactive.' };
    },
  );

  app.post(
    '/api/v1/knowledge/:id/restore',
    operation({
      ability: 'knowledge:write',
      id: 'restoreKnowledge',
      summary: 'Bring a softly deleted source back',
      schema: { params: IdParams, response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<Message>(request, async () => {
        await knowledge.restore(workspaceOf(request), request.params.id);
        return { message: 'The source is active again.' };
      }),
  );

  app.post(
    '/api/v1/knowledge/:id/refresh',
    operation({
      ability: 'knowledge:write',
      id: 'refreshKnowledge',
      summary: 'Read a source again',
      description:
        'Fetches a URL again, or tries once more what failed. Text that did not change is not embedded again. Until ' +
        'it is done, what was read before still answers.',
      schema: { params: IdParams, response: { 200: Message } },
      idempotent: true,
    }),
    (request) =>
      idempotent<Message>(request, (record) =>
        knowledge.refresh(workspaceOf(request), request.params.id, record),
      ),
  );

  app.post(
    '/api/v1/knowledge/search',
    operation({
      ability: 'knowledge:read',
      id: 'searchKnowledge',
      summary: 'See what retrieval would find',
      description:
        'Best first. `score` combines both searches: similarity of meaning and shared keywords, each from 0 to 1.',
      schema: { body: KnowledgeSearch, response: { 200: Type.Array(FoundPassage) } },
      errors: ['NOT_FOUND'],
      idempotent: true,
    }),
    (request) =>
      idempotent<FoundPassage[]>(request, () => knowledge.explain(workspaceOf(request), request.body)),
  );

  app.patch(
    '/api/v1/knowledge/:id/metadata',
    operation({
      ability: 'knowledge:write',
      id: 'replaceKnowledgeMetadata',
      summary: "Replace a source's metadata",
      description: 'The body is the whole object; {} clears it.',
      schema: { params: IdParams, body: Metadata, response: { 200: Message } },
      errors: ['METADATA_INVALID'],
    }),
    async (request) => {
      await knowledge.replaceMetadata(workspaceOf(request), request.params.id, request.body);
      return { message: 'The metadata was replaced.' };
    },
  );

  await withForms(app, formLimits, (scope) => createRoute(scope, options));
}

function createRoute(app: HttpApp, { knowledge, idempotent }: KnowledgeRoutesOptions): void {
  app.post(
    '/api/v1/knowledge',
    operation({
      ability: 'knowledge:write',
      id: 'addKnowledge',
      summary: 'Add knowledge: a text, a URL or files',
      description:
        'JSON makes one source and answers with it. A form makes one of each file and answers with `created` and ' +
        '`errors`: a file that cannot be used does not stop the others. Processing continues in the background.',
      schema: { body: CreateBody, response: { 201: CreateAnswer, 400: KnowledgeRefusal } },
      errors: ['NOT_FOUND', 'METADATA_INVALID'],
      idempotent: true,
    }),
    async (request, reply) => {
      const { body } = request;
      const workspaceId = workspaceOf(request);
      if (!('files' in body)) {
        const work = idempotent<Knowledge>(request, (record) => knowledge.create(workspaceId, body, record));
        return reply.code(201).send(await work);
      }
      const upload = {
        files: body.files,
        title: body.title,
        botId: body.bot_id,
        metadata: readMetadata(body.metadata),
      };
      try {
        const outcome = await idempotent<UploadOutcome>(request, async (record) =>
          requireCreated(await knowledge.upload(workspaceId, upload, record)),
        );
        return await reply.code(201).send(outcome);
      } catch (error) {
        if (!(error instanceof NothingCreated)) throw error;
        const refusal = new AppError('VALIDATION_FAILED', { message: 'None of the files could be used.' });
        return reply.code(400).send({ ...toErrorBody(refusal, request.id), ...error.outcome });
      }
    },
  );
}

/** An upload without any usable file: its Idempotency-Key can be used again. */
class NothingCreated extends Error {
  readonly outcome: UploadOutcome;

  constructor(outcome: UploadOutcome) {
    super('None of the files could be used.');
    this.outcome = outcome;
  }
}

function requireCreated(outcome: UploadOutcome): UploadOutcome {
  if (outcome.created.length === 0) throw new NothingCreated(outcome);
  return outcome;
}

/** In a form, metadata is JSON text. */
function readMetadata(text = '{}'): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('METADATA_INVALID', { cause: error });
  }
  guardText(value, 'metadata');
  return checkMetadata(value, 'metadata');
}
