import { type Static, Type } from 'typebox';
import { AnyObject, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { ToolCreate, ToolTest } from './tools.ts';

const example = {
  tool_type: 'calculator',
  name: 'Sums',
  description: 'Does arithmetic exactly.',
  configuration: {},
};

const draftProperties = {
  tool_type: ToolCreate.properties.tool_type,
  name: Type.Optional(Type.String({ maxLength: 100 })),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  configuration: ToolCreate.properties.configuration,
  tool_id: Type.Optional({
    ...Uuid,
    description:
      'The stored tool that this changes. Its secrets are used where none are sent, but only for the address they were given for.',
  }),
};

/** A tool that is not saved, or not as it is here. */
export const ToolDraftFunctions = Strict(draftProperties, { examples: [example] });
export type ToolDraftFunctions = Static<typeof ToolDraftFunctions>;

export const ToolDraftTest = Strict(
  { ...draftProperties, parameters: ToolTest.properties.parameters },
  { examples: [{ ...example, parameters: { expression: '0.1 + 0.2' } }] },
);
export type ToolDraftTest = Static<typeof ToolDraftTest>;

/** A function that a model would get from a tool. */
export const OfferedFunction = Type.Object(
  {
    name: Type.String(),
    key: Type.String({ description: 'Its own name at an MCP server; otherwise the same as its name.' }),
    description: Type.String(),
    parameters: AnyObject,
    approval: OneOf(['never', 'always']),
    unusable: Type.Optional(Type.String({ description: 'Why models do not get it.' })),
  },
  {
    $id: 'OfferedFunction',
    examples: [
      {
        name: 'weather',
        key: 'weather',
        description: 'Looks up the weather of a place.',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        approval: 'never',
      },
    ],
  },
);
export type OfferedFunction = Static<typeof OfferedFunction>;

/** Where a tool is used, and when its secrets were set. */
export const ToolUse = Type.Object(
  {
    tool_id: Uuid,
    bot_ids: Type.Array(Uuid, { description: 'The bots that can call it.' }),
    hook_bot_ids: Type.Array(Uuid, { description: 'The bots that run it after a call.' }),
    secrets: Type.Array(Type.Object({ field: Type.String(), set_at: Timestamp })),
  },
  {
    $id: 'ToolUse',
    examples: [
      {
        tool_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
        bot_ids: ['0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90'],
        hook_bot_ids: [],
        secrets: [{ field: 'bearer_token', set_at: '2026-11-15T09:30:00.000Z' }],
      },
    ],
  },
);
export type ToolUse = Static<typeof ToolUse>;

export const ToolUseQuery = Strict({ tool_id: Type.Optional(Uuid) });
