import { type Static, Type } from 'typebox';
import { AnyObject, Metadata, Nullable, OneOf, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

const Configuration = Type.Unsafe<Record<string, unknown>>({
  ...AnyObject,
  description: "Fits the type's configuration_schema. Secret fields are written here and never returned.",
});

const toolExample = {
  tool_type: 'http_request',
  name: 'Weather',
  description: 'Looks up the weather of a place.',
  configuration: {
    method: 'GET',
    url: 'https://api.example.com/weather',
    query: { city: '{{city}}' },
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    auth_type: 'bearer',
    bearer_token: 'secret',
  },
};

const Name = Type.String({ minLength: 1, maxLength: 100 });
const Description = Type.String({
  maxLength: 2000,
  description: 'What it does and when to use it: the model reads this.',
});
const IsDefault = Type.Boolean({
  description: 'Bots that are created from now on get it. Not for tools that work on machines.',
});

export const ToolCreate = Strict(
  {
    tool_type: Type.String({ minLength: 1, maxLength: 50 }),
    name: Name,
    description: Description,
    configuration: Configuration,
    is_default: Type.Optional(IsDefault),
    preset_id: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
    metadata: Type.Optional(Metadata),
    ...ReadOnly([
      'id',
      'tenant_id',
      'created_by',
      'created_at',
      'updated_at',
      'function_name',
      'secrets_set',
      'asks_first',
    ]),
  },
  { examples: [toolExample] },
);
export type ToolCreate = Static<typeof ToolCreate>;

export const ToolUpdate = Strict(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    configuration: Type.Optional(Configuration),
    is_active: Type.Optional(Type.Boolean()),
    is_default: Type.Optional(IsDefault),
    preset_id: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
    metadata: Type.Optional(Metadata),
    ...ReadOnly([
      'id',
      'tenant_id',
      'tool_type',
      'created_by',
      'created_at',
      'updated_at',
      'function_name',
      'secrets_set',
      'asks_first',
    ]),
  },
  {
    description: 'A secret field that is left out of `configuration` keeps its value, null clears it.',
    examples: [{ description: 'Looks up the weather of a city.' }],
  },
);
export type ToolUpdate = Static<typeof ToolUpdate>;

export const Tool = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    tool_type: Type.String(),
    name: Type.String(),
    function_name: Type.Optional(
      Type.String({
        description: 'What models call it, unless it has several functions, such as an MCP server.',
      }),
    ),
    description: Type.String(),
    preset_id: Nullable(Type.String()),
    is_default: IsDefault,
    is_active: Type.Boolean(),
    created_by: Nullable(Uuid),
    metadata: Metadata,
    configuration: Configuration,
    secrets_set: Type.Array(Type.String(), {
      description: 'Configuration fields that have a stored secret.',
    }),
    asks_first: OneOf(['never', 'sometimes', 'always'], {
      description: 'Whether its calls need approval, with the defaults of its type.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'Tool',
    examples: [
      {
        ...toolExample,
        configuration: { method: 'GET', url: 'https://api.example.com/weather', auth_type: 'bearer' },
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
        function_name: 'Weather',
        tenant_id: '0198c2a4-0000-7000-8000-2b1a6c5d8e90',
        preset_id: null,
        is_default: false,
        is_active: true,
        created_by: null,
        metadata: {},
        secrets_set: ['bearer_token'],
        asks_first: 'never',
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type Tool = Static<typeof Tool>;

export const CatalogEntry = Type.Object(
  {
    tool_type: Type.String(),
    name: Type.String(),
    description: Type.String(),
    configuration_schema: AnyObject,
    read_only: Type.Boolean({ description: 'Its calls change nothing.' }),
    presets: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), configuration: AnyObject })),
  },
  {
    $id: 'CatalogEntry',
    examples: [
      {
        tool_type: 'calculator',
        name: 'Calculator',
        description: 'Does arithmetic exactly.',
        configuration_schema: { type: 'object', properties: {}, additionalProperties: false },
        read_only: true,
        presets: [],
      },
    ],
  },
);
export type CatalogEntry = Static<typeof CatalogEntry>;

export const ToolTest = Strict(
  { parameters: Type.Optional(AnyObject) },
  { examples: [{ parameters: { city: 'Cologne' } }] },
);

export const ToolTestResult = Type.Object(
  {
    success: Type.Boolean(),
    execution_time_ms: Type.Integer(),
    error: Type.Optional(Type.String()),
    result: Type.Unknown(),
    resolved_request: Type.Optional(
      Type.Object({
        method: Type.String(),
        url: Type.String(),
        headers: Type.Unsafe<Record<string, string>>({
          type: 'object',
          additionalProperties: { type: 'string' },
        }),
        body: Nullable(Type.String()),
      }),
    ),
  },
  {
    $id: 'ToolTestResult',
    examples: [{ success: true, execution_time_ms: 182, result: { temperature: 9 } }],
  },
);
export type ToolTestResult = Static<typeof ToolTestResult>;

const assignmentProperties = {
  tool_type: Type.String({ minLength: 1, maxLength: 50 }),
  tool_configuration_id: Type.Optional(
    Nullable(Type.String({ format: 'uuid', description: 'Required for types that have a configuration.' })),
  ),
  tool_instructions: Type.Optional(Type.String({ maxLength: 4000 })),
  speak_during_execution: Type.Optional(Type.Boolean()),
  speak_after_execution: Type.Optional(Type.Boolean()),
  tool_error_handling_mode: Type.Optional(
    OneOf(['passthrough', 'hide'], {
      description:
        '`passthrough` shows the error to the model and the readers, `hide` only that the tool failed; the trace has the cause.',
    }),
  ),
};

export const ToolAssign = Strict(
  {
    bot_id: Uuid,
    assignments: Type.Array(Strict({ ...assignmentProperties, ...ReadOnly(['tool']) }), { maxItems: 100 }),
  },
  {
    examples: [
      {
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        assignments: [{ tool_type: 'calculator' }],
      },
    ],
  },
);
export type ToolAssign = Static<typeof ToolAssign>;

export const ToolAssignment = Type.Object(
  {
    tool_type: Type.String(),
    tool_configuration_id: Nullable(Uuid),
    tool_instructions: Type.String(),
    speak_during_execution: Type.Boolean(),
    speak_after_execution: Type.Boolean(),
    tool_error_handling_mode: OneOf(['passthrough', 'hide']),
    tool: Nullable(
      Type.Object({
        id: Nullable(Uuid),
        name: Type.String(),
        tool_type: Type.String(),
        description: Type.String(),
      }),
    ),
  },
  {
    $id: 'ToolAssignment',
    examples: [
      {
        tool_type: 'calculator',
        tool_configuration_id: null,
        tool_instructions: '',
        speak_during_execution: false,
        speak_after_execution: false,
        tool_error_handling_mode: 'passthrough',
        tool: {
          id: null,
          name: 'Calculator',
          tool_type: 'calculator',
          description: 'Does arithmetic exactly.',
        },
      },
    ],
  },
);
export type ToolAssignment = Static<typeof ToolAssignment>;

export const BotToolsQuery = Strict({ bot_id: Uuid });
