import { type Static, Type } from 'typebox';
import { ErrorBody, Metadata, Nullable, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';
import { Citation } from './conversations.ts';

/** The longest text that can be sent, and how much of any source's text is returned. */
export const maxContentCharacters = 50_000;
export const maxUploadFiles = 5;
export const maxUploadFileBytes = 5_242_880;
export const maxUploadBytes = 64 * 1024 * 1024;
export const uploadExtensions = ['.txt', '.pdf', '.docx', '.md', '.html', '.htm'] as const;

const Title = Type.String({ minLength: 1, maxLength: 500 });
const BotId = Type.Optional(
  Nullable(Type.String({ format: 'uuid', description: 'Left out or null: for every bot of the workspace.' })),
);

const example = {
  content_type: 'text',
  title: 'Returns',
  content: 'Goods can be returned within 30 days. Opened headphones cannot.',
  metadata: { team: 'support' },
};

export const KnowledgeCreate = Strict(
  {
    content_type: OneOf(['text', 'url']),
    title: Type.Optional({ ...Title, description: "Required for text; a URL's own title otherwise." }),
    content: Type.Optional(
      Type.String({ minLength: 1, maxLength: maxContentCharacters, description: 'Required for text.' }),
    ),
    url: Type.Optional(
      Type.String({ format: 'http-url', maxLength: 2000, description: 'Required for url.' }),
    ),
    bot_id: BotId,
    metadata: Type.Optional(Metadata),
    ...ReadOnly([
      'id',
      'tenant_id',
      'source_filename',
      'source_url',
      'processing_status',
      'processing_progress',
      'error',
      'content_truncated',
      'status',
      'created_at',
      'updated_at',
    ]),
  },
  { examples: [example] },
);
export type KnowledgeCreate = Static<typeof KnowledgeCreate>;

/** The fields of a form; metadata is validated once it is parsed as JSON. */
export const KnowledgeUpload = Strict({
  files: Type.Array(Type.Unsafe<unknown>({ type: 'string', format: 'binary' }), {
    minItems: 1,
    maxItems: maxUploadFiles,
    description: `Each at most ${maxUploadFileBytes} bytes, as ${uploadExtensions.join(', ')}. Any name of the part will do.`,
  }),
  title: Type.Optional({ ...Title, description: "For every file; a document's own title otherwise." }),
  bot_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Left out: for every bot of the workspace.' }),
  ),
  metadata: Type.Optional(
    Type.String({ contentMediaType: 'application/json', description: 'A JSON object of strings.' }),
  ),
});

export const Knowledge = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    bot_id: Nullable(Uuid),
    title: Type.String(),
    content: Type.String({
      description: `What was given or read from the source, its first ${maxContentCharacters} characters.`,
    }),
    content_truncated: Type.Boolean(),
    content_type: OneOf(['text', 'uploaded_file', 'url']),
    source_filename: Nullable(Type.String()),
    source_url: Nullable(Type.String()),
    metadata: Metadata,
    processing_status: OneOf(['pending', 'processing', 'completed', 'failed']),
    processing_progress: Type.Number({ description: 'From 0 to 1.' }),
    error: Nullable(
      Type.String({
        description:
          'Why it failed, and what can be done. While it is `pending` or `processing`: why the last attempt failed.',
      }),
    ),
    status: OneOf(['active', 'inactive']),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'Knowledge',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
        tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
        bot_id: null,
        ...example,
        content_truncated: false,
        source_filename: null,
        source_url: null,
        processing_status: 'completed',
        processing_progress: 1,
        error: null,
        status: 'active',
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:02.000Z',
      },
    ],
  },
);
export type Knowledge = Static<typeof Knowledge>;

export const UploadOutcome = Type.Object(
  {
    created: Type.Array(Type.Object({ id: Uuid, filename: Type.String(), title: Type.String() })),
    errors: Type.Array(Type.Object({ filename: Type.String(), reason: Type.String() })),
  },
  { $id: 'UploadOutcome' },
);
export type UploadOutcome = Static<typeof UploadOutcome>;

/** The answer when nothing in a request could be used. */
export const KnowledgeRefusal = Type.Object(
  {
    ...ErrorBody.properties,
    created: Type.Optional(UploadOutcome.properties.created),
    errors: Type.Optional(UploadOutcome.properties.errors),
  },
  {
    $id: 'KnowledgeRefusal',
    description:
      '`VALIDATION_FAILED`. When there were files and none could be used, `errors` says why for each.',
  },
);

export const KnowledgeQuery = Type.Unsafe<{ status?: 'active' | 'inactive' }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    status: OneOf(['active', 'inactive'], {
      description: '`inactive` lists soft-deleted sources.',
    }),
    'metadata.<key>': { type: 'string', description: 'Only those whose metadata has this value.' },
  },
  patternProperties: { '^metadata\\..+$': { type: 'string' } },
});

export const KnowledgeDeleteQuery = Type.Object(
  {
    type: Type.Optional(
      OneOf(['soft', 'hard'], {
        description: '`soft` (default) can be restored; `hard` removes the source and everything made of it.',
      }),
    ),
  },
  { additionalProperties: false },
);

const countOf = <Word extends string>(words: readonly Word[]) =>
  Type.Object(
    Object.fromEntries(words.map((word) => [word, Type.Integer()])) as Record<
      Word,
      ReturnType<typeof Type.Integer>
    >,
  );

export const KnowledgeStats = Type.Object(
  {
    total_knowledge_bases: Type.Integer(),
    by_type: countOf(['text', 'uploaded_file', 'url']),
    by_status: countOf(['pending', 'processing', 'completed', 'failed']),
  },
  {
    $id: 'KnowledgeStats',
    examples: [
      {
        total_knowledge_bases: 3,
        by_type: { text: 1, uploaded_file: 2, url: 0 },
        by_status: { pending: 0, processing: 1, completed: 2, failed: 0 },
      },
    ],
  },
);
export type KnowledgeStats = Static<typeof KnowledgeStats>;

export const KnowledgeSearch = Strict(
  {
    query: Type.String({ minLength: 1, maxLength: 1000 }),
    bot_id: Type.Optional(
      Nullable(
        Type.String({
          format: 'uuid',
          description: 'Search what this bot would find; otherwise all sources.',
        }),
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'Default 5.' })),
  },
  { examples: [{ query: 'Can I send headphones back?' }] },
);
export type KnowledgeSearch = Static<typeof KnowledgeSearch>;

export const FoundPassage = Type.Object(
  {
    ...Citation.properties,
    vector_score: Type.Number({ description: 'How close it is in meaning; 0 if it was not found that way.' }),
    keyword_score: Type.Number({ description: 'How well its words match; 0 if it was not found that way.' }),
  },
  {
    $id: 'FoundPassage',
    examples: [
      {
        knowledge_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
        title: 'Returns',
        source_url: null,
        quote: 'Goods can be returned within 30 days. Opened headphones cannot.',
        score: 0.82,
        vector_score: 0.9,
        keyword_score: 0.7,
      },
    ],
  },
);
export type FoundPassage = Static<typeof FoundPassage>;
