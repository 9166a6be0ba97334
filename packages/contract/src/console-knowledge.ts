import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Strict, Uuid } from './common.ts';
import { FoundPassage, Knowledge } from './knowledge.ts';

const { content: _content, content_truncated: isCut, ...listed } = Knowledge.properties;

const exampleSource = {
  id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
  tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
  bot_id: null,
  title: 'Returns',
  content_type: 'text',
  source_filename: null,
  source_url: null,
  metadata: {},
  processing_status: 'completed',
  processing_progress: 1,
  error: null,
  status: 'active',
  created_at: '2026-11-15T09:30:00.000Z',
  updated_at: '2026-11-15T09:30:02.000Z',
  passage_count: 12,
};

/** A source as the console lists it: without its text, which may be long. */
export const KnowledgeSource = Type.Object(
  {
    ...listed,
    passage_count: Type.Integer({ description: 'How many passages bots can find in it.' }),
    content_truncated: Type.Optional({
      ...isCut,
      description:
        'Only of a single source: GET /api/v1/knowledge/{id} shows a part of its text. Bots find all of it.',
    }),
  },
  { $id: 'KnowledgeSource', examples: [exampleSource] },
);
export type KnowledgeSource = Static<typeof KnowledgeSource>;

export const KnowledgeSourceQuery = Strict({
  q: Type.Optional(Type.String({ maxLength: 200, description: 'In the title, the file name or the URL.' })),
  bot_id: Type.Optional({
    ...Uuid,
    description: 'What this bot can use: its own sources and those of every bot.',
  }),
  status: Type.Optional(OneOf(['unfinished', 'completed', 'failed'])),
  type: Type.Optional(OneOf(['text', 'uploaded_file', 'url'])),
  deleted: Type.Optional(Type.Boolean({ description: 'Those that were deleted and can be restored.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  before: Type.Optional(Type.String({ maxLength: 200, description: 'From the `Link` header.' })),
});
export type KnowledgeSourceQuery = Static<typeof KnowledgeSourceQuery>;

export const KnowledgeOverview = Type.Object(
  {
    active: Type.Integer(),
    unfinished: Type.Integer(),
    failed: Type.Integer(),
    deleted: Type.Integer(),
    passages: Type.Integer(),
    embedding_model: Nullable(
      Type.String({ description: 'Finds passages by meaning; null while only words are searched.' }),
    ),
  },
  {
    $id: 'KnowledgeOverview',
    examples: [
      {
        active: 24,
        unfinished: 1,
        failed: 1,
        deleted: 2,
        passages: 940,
        embedding_model: 'builtin/sentence-encoder',
      },
    ],
  },
);
export type KnowledgeOverview = Static<typeof KnowledgeOverview>;

export const PassageQuery = Strict({
  from: Type.Optional(
    Type.Integer({ minimum: 0, description: 'The position of the first passage; default 0.' }),
  ),
  passage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Instead of `from`: the id of a passage, or how it begins, as citations quote it.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 50.' })),
});
export type PassageQuery = Static<typeof PassageQuery>;

const SourcePassage = Type.Object({
  id: Uuid,
  position: Type.Integer({ description: 'Counted from 0.' }),
  heading_path: Type.Array(Type.String()),
  content: Type.String(),
  token_count: Type.Integer(),
  is_embedded: Type.Boolean({ description: 'It can be found by meaning, not only by words.' }),
});
export type SourcePassage = Static<typeof SourcePassage>;

export const SourcePassages = Type.Object(
  {
    total: Type.Integer(),
    wanted: Nullable({ ...Uuid, description: 'The passage that was asked for, if the source still has it.' }),
    passages: Type.Array(SourcePassage),
  },
  {
    $id: 'SourcePassages',
    examples: [
      {
        total: 1,
        wanted: null,
        passages: [
          {
            id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96',
            position: 0,
            heading_path: ['Returns', 'Headphones'],
            content: 'Opened headphones cannot be sent back.',
            token_count: 9,
            is_embedded: true,
          },
        ],
      },
    ],
  },
);
export type SourcePassages = Static<typeof SourcePassages>;

const ExplainedPassage = Type.Object({
  ...FoundPassage.properties,
  passage_id: Uuid,
  heading_path: Type.Array(Type.String()),
});
export type ExplainedPassage = Static<typeof ExplainedPassage>;

/** What bots would find, and why. */
export const ExplainedSearch = Type.Object(
  {
    passages: Type.Array(ExplainedPassage),
    embedding_model: Nullable(
      Type.String({ description: 'The model that compared meanings; null if only words were searched.' }),
    ),
  },
  {
    $id: 'ExplainedSearch',
    examples: [
      {
        passages: [
          {
            knowledge_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
            title: 'Returns',
            source_url: null,
            quote: 'Opened headphones cannot be sent back.',
            score: 0.82,
            vector_score: 0.9,
            keyword_score: 0.7,
            passage_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e96',
            heading_path: ['Returns', 'Headphones'],
          },
        ],
        embedding_model: 'builtin/sentence-encoder',
      },
    ],
  },
);
export type ExplainedSearch = Static<typeof ExplainedSearch>;
