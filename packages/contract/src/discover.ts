import { type Static, Type } from 'typebox';
import { PromptBuilder } from './bots.ts';
import { Strict } from './common.ts';

const openApiExample = `openapi: 3.1.0
info: { title: Weather, version: '1' }
servers: [{ url: https://api.example.com }]
paths:
  /weather:
    get:
      operationId: get_weather
      parameters:
        - { name: city, in: query, required: true, schema: { type: string } }
`;

export const ToolDiscover = Strict(
  {
    url: Type.Optional(
      Type.String({
        format: 'http-url',
        maxLength: 2000,
        description: 'Where the documentation is: an OpenAPI 3 document (JSON or YAML) or a page.',
      }),
    ),
    documentation: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000_000, description: 'The documentation itself.' }),
    ),
    goal: Type.Optional(
      Type.String({ maxLength: 2000, description: 'What the tools are for: what fits it comes first.' }),
    ),
  },
  {
    description: 'Exactly one of `url` and `documentation`.',
    examples: [{ documentation: openApiExample, goal: 'Tell the weather' }],
  },
);
export type ToolDiscover = Static<typeof ToolDiscover>;

const Configuration = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: "Fits the type's configuration_schema, but for secrets, which are still to be filled in.",
});
const Notes = Type.Array(Type.String({ maxLength: 4000 }), {
  maxItems: 200,
  description: 'What to fill in, and what could not be drafted.',
});

export const DraftedTool = Strict({
  tool_type: Type.String({ minLength: 1, maxLength: 50 }),
  name: Type.String({ minLength: 1, maxLength: 100 }),
  description: Type.String({ maxLength: 2000 }),
  configuration: Configuration,
});
export type DraftedTool = Static<typeof DraftedTool>;

export const ToolDraft = Strict({ tools: Type.Array(DraftedTool, { maxItems: 100 }), notes: Notes });
export type ToolDraft = Static<typeof ToolDraft>;

export const DiscoveredTools = Type.Object(
  { draft: ToolDraft },
  {
    $id: 'DiscoveredTools',
    examples: [
      {
        draft: {
          tools: [
            {
              tool_type: 'http_request',
              name: 'get_weather',
              description: 'Looks up the weather of a place.',
              configuration: {
                method: 'GET',
                url: 'https://api.example.com/weather',
                query: { city: '{{city}}' },
                parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
              },
            },
          ],
          notes: [],
        },
      },
    ],
  },
);

export const BotDiscover = Strict(
  {
    description: Type.String({ minLength: 1, maxLength: 8000, description: 'What the bot is for.' }),
    sources: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200_000 }), {
        maxItems: 10,
        description: 'Each a URL, which is fetched, or a text.',
      }),
    ),
  },
  {
    examples: [
      {
        description: 'Answers questions of guests of our hotel.',
        sources: ['Breakfast is from 7 to 10. Check-out is at 11.'],
      },
    ],
  },
);
export type BotDiscover = Static<typeof BotDiscover>;

export const SuggestedTool = Strict({
  tool_type: Type.String({ minLength: 1, maxLength: 50 }),
  reason: Type.String({ minLength: 1, maxLength: 2000 }),
  configuration: Type.Optional(Configuration),
});
export type SuggestedTool = Static<typeof SuggestedTool>;

const writtenProperties = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.String({ maxLength: 2000 }),
  prompt_builder: PromptBuilder,
  chat_greeting: Type.String({ minLength: 1, maxLength: 2000 }),
  suggested_tools: Type.Array(SuggestedTool, { maxItems: 20 }),
  test_questions: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), { minItems: 5, maxItems: 5 }),
  notes: Notes,
};

/** What a model writes of a bot; the rest follows from it. */
export const WrittenBot = Strict(writtenProperties);
export type WrittenBot = Static<typeof WrittenBot>;

export const BotDraft = Strict({ ...writtenProperties, system_prompt: Type.String() });
export type BotDraft = Static<typeof BotDraft>;

export const DiscoveredBot = Type.Object(
  { draft: BotDraft },
  {
    $id: 'DiscoveredBot',
    examples: [
      {
        draft: {
          name: 'Hotel host',
          description: 'Answers questions of guests.',
          prompt_builder: { role: 'the host of a hotel', instructions: ['Answer from what you were told.'] },
          system_prompt: 'You are the host of a hotel.\n\n## Instructions\n- Answer from what you were told.',
          chat_greeting: 'Welcome! What can I do for you?',
          suggested_tools: [
            { tool_type: 'knowledge_search', reason: 'Looks up what the hotel has written down.' },
          ],
          test_questions: [
            'When is breakfast?',
            'When do I have to check out?',
            'Is there parking?',
            'May I bring my dog?',
            'Can I get an invoice?',
          ],
          notes: [],
        },
      },
    ],
  },
);

/** The steps of a draft, as a reader of the stream is told. */
export type DiscoverStep = 'reading' | 'drafting' | 'checking' | 'repairing';
