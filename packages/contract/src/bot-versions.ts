import { type Static, Type } from 'typebox';
import { BotType, OutputConfig, PromptBuilder } from './bots.ts';
import { AnyObject, Nullable, OneOf, Timestamp, Uuid } from './common.ts';

/** A tool of a bot and how it is used. Secrets stay with the tool. */
export const BotTool = Type.Object({
  tool_type: Type.String(),
  tool_configuration_id: Nullable(Uuid),
  tool_instructions: Type.String(),
  speak_during_execution: Type.Boolean(),
  speak_after_execution: Type.Boolean(),
  tool_error_handling_mode: OneOf(['passthrough', 'hide']),
});
export type BotTool = Static<typeof BotTool>;

/** Everything that decides how a bot behaves; its status and its metadata do not. */
export const BotConfiguration = Type.Object({
  name: Type.String(),
  description: Type.String(),
  system_prompt: Type.String(),
  prompt_builder: Nullable(Type.Unsafe<PromptBuilder>({ type: 'object', additionalProperties: true })),
  settings: Type.Unsafe<Record<string, unknown>>({
    ...AnyObject,
    description: 'Model, temperature, voice, quality flags and so on, as an object.',
  }),
  bot_type: BotType,
  schedule: Nullable(Type.String()),
  agent_goal: Nullable(Type.String()),
  output_config: Nullable(Type.Unsafe<OutputConfig>({ type: 'object', additionalProperties: true })),
  max_iterations: Type.Integer(),
  timeout_seconds: Nullable(Type.Integer()),
  tools: Type.Array(BotTool, { description: 'Its tools, as `POST /api/v1/tools/assign` takes them.' }),
});
export type BotConfiguration = Static<typeof BotConfiguration>;

const versionProperties = {
  number: Type.Integer({ minimum: 1, description: 'Counted per bot, from 1.' }),
  created_at: Timestamp,
  created_by: Nullable(
    Type.String({
      format: 'uuid',
      description: 'The key that saved it; null for what existed before versions were kept.',
    }),
  ),
  changes: Type.Array(Type.String(), {
    description: 'The fields that differ from the previous version; `tools` means the assigned tools.',
  }),
  restored_from: Nullable(
    Type.Integer({ description: 'The version that was restored, if this one is a restored version.' }),
  ),
};

const versionExample = {
  number: 4,
  created_at: '2026-11-15T09:30:00.000Z',
  created_by: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
  changes: ['system_prompt', 'temperature'],
  restored_from: null,
};

export const BotVersion = Type.Object(versionProperties, { $id: 'BotVersion', examples: [versionExample] });
export type BotVersion = Static<typeof BotVersion>;

export const BotVersionDetail = Type.Object(
  { ...versionProperties, configuration: BotConfiguration },
  {
    $id: 'BotVersionDetail',
    examples: [
      {
        ...versionExample,
        configuration: {
          name: 'Support',
          description: '',
          system_prompt: 'You help the customers of Acme.',
          prompt_builder: null,
          settings: { model: 'openai/gpt-5-mini', temperature: 0.2 },
          bot_type: 'chatbot',
          schedule: null,
          agent_goal: null,
          output_config: null,
          max_iterations: 25,
          timeout_seconds: null,
          tools: [
            {
              tool_type: 'calculator',
              tool_configuration_id: null,
              tool_instructions: '',
              speak_during_execution: false,
              speak_after_execution: false,
              tool_error_handling_mode: 'passthrough',
            },
          ],
        },
      },
    ],
  },
);
export type BotVersionDetail = Static<typeof BotVersionDetail>;

/** Numbers in a path are text. */
export const VersionParams = Type.Object({
  id: Uuid,
  number: Type.String({
    pattern: '^[1-9][0-9]{0,8}$',
    'x-expected': 'the number of a version',
    description: "The version's number.",
  }),
});

export const VersionQuery = Type.Unsafe<{ limit?: number; before?: number }>({
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
    before: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Only versions with a smaller number: the cursor that the Link header gives.',
    },
  },
});
export type VersionQuery = Static<typeof VersionQuery>;

export const Restored = Type.Object(
  { message: Type.String(), version: Type.Integer({ description: "The bot's version now." }) },
  { examples: [{ message: 'The bot is as it was in version 2.', version: 5 }] },
);
export type Restored = Static<typeof Restored>;
