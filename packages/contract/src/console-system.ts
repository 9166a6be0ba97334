import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from './common.ts';

export const SystemReport = Type.Object(
  {
    release: Type.String(),
    default_model: Type.String(),
    providers: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['openai'] }),
        uses: Type.Array(OneOf(['chat', 'embeddings', 'speech'])),
        is_ready: Type.Boolean({ description: 'Whether it can be used: its key or its address is set.' }),
        has_key: Type.Boolean(),
        key_variable: Nullable(
          Type.String({ description: 'The variable of its key; null if it needs none.' }),
        ),
        url_variable: Nullable(Type.String()),
      }),
    ),
    mail: Type.Object({ is_ready: Type.Boolean(), variable: Type.String() }),
    database: Type.Object({
      is_embedded: Type.Boolean(),
      version: Type.String(),
      milliseconds: Type.Number(),
    }),
    redis: Type.Object({ is_configured: Type.Boolean(), is_connected: Type.Boolean() }),
    nodes: Type.Array(
      Type.Object({
        id: Uuid,
        is_this: Type.Boolean({ description: 'It has answered this request.' }),
        release: Nullable(Type.String()),
        started_at: Timestamp,
        seen_at: Timestamp,
        is_alive: Type.Boolean(),
      }),
    ),
    notes: Type.Array(Type.String(), { description: 'What is restricted at the moment, and why.' }),
  },
  {
    $id: 'SystemReport',
    examples: [
      {
        release: '0.1.0',
        default_model: 'builtin/quote',
        providers: [
          {
            name: 'openai',
            uses: ['chat', 'embeddings'],
            is_ready: false,
            has_key: false,
            key_variable: 'OPENAI_API_KEY',
            url_variable: 'OPENAI_BASE_URL',
          },
        ],
        mail: { is_ready: false, variable: 'SVC_SMTP_URL' },
        database: { is_embedded: true, version: '17.5', milliseconds: 0.8 },
        redis: { is_configured: false, is_connected: false },
        nodes: [
          {
            id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
            is_this: true,
            release: '0.1.0',
            started_at: '2026-11-15T09:30:00.000Z',
            seen_at: '2026-11-15T09:31:00.000Z',
            is_alive: true,
          },
        ],
        notes: [],
      },
    ],
  },
);
export type SystemReport = Static<typeof SystemReport>;
