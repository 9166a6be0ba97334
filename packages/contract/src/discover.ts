import { type Static, type TSchema, Type } from 'typebox';
import type { BotCreate } from './bots.ts';
import { AnyObject, OneOf, Strict } from './common.ts';
import {
  EventError,
  type EventOf,
  eventSchema,
  eventSchemas,
  oneOfEvents,
  type WireEvent,
} from './event-schema.ts';

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

/** The largest document that can be sent or fetched, in bytes of UTF-8. */
export const maxDocumentBytes = 32 * 1024 * 1024;
/** The most tools that are drafted, and the most operations that can be named. */
export const maxDraftedTools = 20;

export const ToolDiscover = Strict(
  {
    url: Type.Optional(
      Type.String({
        format: 'http-url',
        maxLength: 2000,
        description:
          'Where the documentation is: a document of OpenAPI 3 or Swagger 2.0 (JSON or YAML) or a page.',
      }),
    ),
    documentation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxDocumentBytes,
        description: 'The documentation itself, at most 32 MB (33,554,432 bytes of UTF-8).',
      }),
    ),
    goal: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          'What the tools are for, in a few words: selects among the operations. Not together with `operations`.',
      }),
    ),
    operations: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        minItems: 1,
        maxItems: maxDraftedTools,
        description:
          'Exactly these operations of an OpenAPI document, by operation id or as `GET /path`. Not together with `goal`.',
      }),
    ),
  },
  {
    description: 'Exactly one of `url` and `documentation`.',
    examples: [{ documentation: openApiExample, goal: 'Tell the weather' }],
  },
);
export type ToolDiscover = Static<typeof ToolDiscover>;

const Configuration = Type.Unsafe<Record<string, unknown>>({
  ...AnyObject,
  description:
    "Matches the type's configuration_schema, except for secrets, which are still to be filled in.",
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

export const ToolDraft = Strict({
  tools: Type.Array(DraftedTool, { maxItems: maxDraftedTools }),
  notes: Notes,
});
export type ToolDraft = Static<typeof ToolDraft>;

const ListedOperation = Strict({
  method: Type.String({ examples: ['GET'] }),
  path: Type.String({ examples: ['/weather'] }),
  operation_id: Type.Union([Type.String(), Type.Null()]),
  summary: Type.String(),
});

export const DiscoveredTools = Type.Object(
  {
    tools: Type.Array(DraftedTool, {
      maxItems: maxDraftedTools,
      description:
        'Each can be sent to POST /api/v1/tools once the secrets that the notes name are filled in.',
    }),
    notes: Notes,
    operations: Type.Optional(
      Type.Array(ListedOperation, {
        description:
          'The operations of an OpenAPI document, if it has more than are drafted at once and the request did not select any.',
      }),
    ),
  },
  {
    $id: 'DiscoveredTools',
    examples: [
      {
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
    ],
  },
);
export type DiscoveredTools = Static<typeof DiscoveredTools>;

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

export const DiscoveredBot = Type.Object(
  {
    draft: Type.Unsafe<BotCreate>({
      type: 'object',
      additionalProperties: true,
      description:
        'A body for POST /api/v1/bots. `system_prompt` is what `prompt_builder` is assembled into: leave it out if you change the builder.',
    }),
    suggested_tools: Type.Array(DraftedTool, {
      maxItems: maxDraftedTools,
      description:
        'Bodies for POST /api/v1/tools. The notes name what is still to be filled in. A type that needs no configuration can be assigned by its name alone.',
    }),
    test_questions: Type.Array(Type.String({ maxLength: 2000 }), {
      maxItems: 5,
      description: 'Questions to try the bot with.',
    }),
    notes: Notes,
  },
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
        },
        suggested_tools: [
          {
            tool_type: 'knowledge_search',
            name: 'knowledge_search',
            description: 'Looks up what the hotel has written down.',
            configuration: {},
          },
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
    ],
  },
);
export type DiscoveredBot = Static<typeof DiscoveredBot>;

const DiscoverStep = OneOf(['reading', 'drafting', 'checking', 'repairing']);
export type DiscoverStep = Static<typeof DiscoverStep>;

const progressEvents = {
  'discover.progress': Type.Object(
    { step: DiscoverStep, detail: Type.String() },
    { description: 'What is being done for the draft.' },
  ),
  'discover.failed': Type.Object({ error: EventError }, { description: 'No draft could be made.' }),
};
const progressSchemas = eventSchemas(progressEvents);

/** What the stream of a draft sends. */
export type DiscoverEvent<Draft> =
  | EventOf<typeof progressEvents>
  | { type: 'discover.completed'; data: Draft };

/** The events of one stream; its components in the OpenAPI document begin with this name. */
function discoverEvents<Draft extends TSchema>(name: string, draft: Draft) {
  const completed = eventSchema('discover.completed', draft, `${name}CompletedEvent`);
  return Type.Unsafe<WireEvent<DiscoverEvent<Static<Draft>>>>({
    $id: `${name}Event`,
    ...oneOfEvents([...progressSchemas, completed]),
  });
}

export const ToolDiscoverEvent = discoverEvents('ToolDiscover', DiscoveredTools);
export const BotDiscoverEvent = discoverEvents('BotDiscover', DiscoveredBot);
