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
    shows_figures: Type.Boolean({
      description: 'Whether owners of this workspace may read the figures of the installation.',
    }),
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
        shows_figures: true,
      },
    ],
  },
);
export type SystemReport = Static<typeof SystemReport>;

/** What a node reports about itself. */
const NodeFigures = Type.Object({
  turns_in_progress: Type.Integer(),
  calls_in_progress: Type.Integer(),
  stream_readers: Type.Integer({ description: 'Open event streams and WebSockets.' }),
  event_loop_delay_ms: Nullable(
    Type.Number({
      description:
        'The 99th percentile since the last reading; null at the first one, which begins to measure.',
    }),
  ),
  memory_bytes: Type.Integer(),
  connections_in_use: Type.Integer({ description: 'Of its connections to the database.' }),
  connections_awaited: Type.Integer({ description: 'Statements that wait for one.' }),
  recognition_lag_ms: Type.Integer({ description: 'How far local speech recognition is behind.' }),
  provider_failures: Type.Array(Type.Object({ provider: Type.String(), count: Type.Integer() }), {
    description: 'Failed attempts of the last ten minutes.',
  }),
  disk_free_bytes: Nullable(Type.Integer()),
  disk_size_bytes: Nullable(Type.Integer()),
});
export type NodeFigures = Static<typeof NodeFigures>;

export const SystemFigures = Type.Object(
  {
    nodes: Type.Array(
      Type.Object({
        id: Uuid,
        figures: Nullable(NodeFigures),
      }),
      {
        description:
          'Those that are alive, at most 30; `figures` is null if the node did not answer in time.',
      },
    ),
    alive_nodes: Type.Integer({
      description: 'How many nodes are alive, even if not all of them are listed.',
    }),
    queues: Nullable(
      Type.Array(
        Type.Object({
          name: Type.String(),
          waiting: Type.Integer({ description: 'What is due and was not taken yet.' }),
          running: Type.Integer(),
          oldest_seconds: Type.Integer({ description: 'How long the oldest has waited.' }),
        }),
      ),
    ),
  },
  {
    $id: 'SystemFigures',
    examples: [
      {
        nodes: [
          {
            id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
            figures: {
              turns_in_progress: 3,
              calls_in_progress: 0,
              stream_readers: 12,
              event_loop_delay_ms: 1.2,
              memory_bytes: 210_000_000,
              connections_in_use: 2,
              connections_awaited: 0,
              recognition_lag_ms: 0,
              provider_failures: [{ provider: 'openai', count: 1 }],
              disk_free_bytes: 40_000_000_000,
              disk_size_bytes: 100_000_000_000,
            },
          },
        ],
        alive_nodes: 1,
        queues: [{ name: 'run-webhooks', waiting: 1, running: 0, oldest_seconds: 2 }],
      },
    ],
  },
);
export type SystemFigures = Static<typeof SystemFigures>;
