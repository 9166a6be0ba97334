import { type Static, Type } from 'typebox';
import { Bot, type BotUpdate } from './bots.ts';
import { Nullable, Strict } from './common.ts';
import { maxMessageCharacters } from './conversations.ts';
import { ToolAssign } from './tools.ts';

/** Conversations of a bot are counted up to this number. */
export const maxCountedConversations = 1000;

const [exampleBot] = (Bot as { examples?: object[] }).examples ?? [];

export const ConsoleBot = Type.Object(
  {
    ...Bot.properties,
    version: Type.Integer({ description: 'The version that answers.' }),
    tool_count: Type.Integer(),
    conversation_count: Type.Integer({
      description: `Without tests and evaluations; ${maxCountedConversations + 1} for any number above ${maxCountedConversations}.`,
    }),
    week: Type.Array(Type.Integer(), {
      description: 'New conversations on each of the last seven days in UTC, today last.',
    }),
  },
  {
    $id: 'ConsoleBot',
    examples: [
      { ...exampleBot, version: 12, tool_count: 2, conversation_count: 412, week: [3, 0, 5, 8, 2, 1, 4] },
    ],
  },
);
export type ConsoleBot = Static<typeof ConsoleBot>;

export const ModelPrice = Type.Object(
  { input: Type.Number(), cached_input: Type.Number(), output: Type.Number() },
  { description: 'USD per million tokens.' },
);
export type ModelPrice = Static<typeof ModelPrice>;

export const ConsoleModels = Type.Object(
  {
    default_model: Type.String({ description: 'Answers for bots that name no model.' }),
    is_built_in_only: Type.Boolean({
      description: 'No provider is configured: only the built-in model answers, with passages.',
    }),
    models: Type.Array(
      Type.Object({
        id: Type.String(),
        provider: Type.String(),
        price: Nullable(ModelPrice),
      }),
      { description: 'Those that the service knows of the configured providers. Others can be used too.' },
    ),
    variables: Type.Array(Type.String(), {
      description: 'The environment variables that would configure another provider.',
    }),
  },
  {
    $id: 'ConsoleModels',
    examples: [
      {
        default_model: 'openai/gpt-5-mini',
        is_built_in_only: false,
        models: [
          {
            id: 'openai/gpt-5-mini',
            provider: 'openai',
            price: { input: 0.25, cached_input: 0.025, output: 2 },
          },
        ],
        variables: ['ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
      },
    ],
  },
);
export type ConsoleModels = Static<typeof ConsoleModels>;

export const BotQuestions = Type.Object(
  {
    questions: Type.Array(Type.String(), { maxItems: 3 }),
    is_ready: Type.Boolean({ description: 'Whether the bot can find anything in its knowledge yet.' }),
  },
  {
    $id: 'BotQuestions',
    examples: [{ questions: ['What does it say about returns?'], is_ready: true }],
  },
);
export type BotQuestions = Static<typeof BotQuestions>;

export const BotDraft = Strict(
  {
    fields: Type.Unsafe<BotUpdate>({
      type: 'object',
      description: 'What would be saved, as `PUT /api/v1/bots/{id}` takes it. Errors name the same fields.',
    }),
    tools: Type.Optional({
      ...ToolAssign.properties.assignments,
      description: 'As `POST /api/v1/tools/assign` takes them; left out: those that the bot has.',
    }),
  },
  { examples: [{ fields: { system_prompt: 'You help the customers of Acme.', temperature: 0.2 } }] },
);
export type BotDraft = Static<typeof BotDraft>;

export const BotSave = Strict(
  {
    version: Type.Integer({
      minimum: 1,
      description: 'The version that the change was made from. 409 BOT_CHANGED if there is a newer one.',
    }),
    ...BotDraft.properties,
  },
  { examples: [{ version: 1, fields: { system_prompt: 'You help the customers of Acme.' } }] },
);
export type BotSave = Static<typeof BotSave>;

export const SavedVersion = Type.Object(
  { version: Type.Integer({ description: 'The version that answers now.' }) },
  { examples: [{ version: 2 }] },
);
export type SavedVersion = Static<typeof SavedVersion>;

export const DraftVersion = Type.Object(
  { version: Type.Integer({ description: 'Below zero. An equal draft has the same number.' }) },
  { examples: [{ version: -1 }] },
);
export type DraftVersion = Static<typeof DraftVersion>;

export const TestMessage = Strict(
  {
    message: Type.String({ minLength: 1, maxLength: maxMessageCharacters }),
    draft: Type.Integer({ maximum: -1, minimum: -1_000_000_000, description: 'The number of the draft.' }),
    conversation_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'A test conversation of the same person to continue.' }),
    ),
  },
  { examples: [{ message: 'Can I return these?', draft: -1 }] },
);
export type TestMessage = Static<typeof TestMessage>;
