import { type Static, Type } from 'typebox';
import { AnyObject, Nullable, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

const ParamsTemplate = Type.Unsafe<Record<string, unknown>>({
  ...AnyObject,
  description:
    'Arguments for the tool. In strings, at any depth, `{{transcript}}`, `{{summary}}`, `{{conversation_id}}` and fields of the call such as `{{call.from_number}}` are filled in; a string that is only a placeholder keeps the type of its value, and `{{call.*}}` is the whole call. For a tool with several functions, `$function` names one.',
  examples: [{ note: '{{summary}}', seconds: '{{call.duration_seconds}}' }],
});

const writableProperties = {
  run_order: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: 'Lower runs first; default 0.' }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'Default true.' })),
  params_template: Type.Optional(ParamsTemplate),
  ...ReadOnly(['id', 'bot_id', 'tool_type', 'tool_name', 'suspended', 'created_at', 'updated_at']),
};

export const PostCallHookCreate = Strict(
  { tool_configuration_id: Uuid, ...writableProperties },
  {
    examples: [
      {
        tool_configuration_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        params_template: { note: '{{summary}}' },
      },
    ],
  },
);
export type PostCallHookCreate = Static<typeof PostCallHookCreate>;

export const PostCallHookUpdate = Strict(
  {
    tool_configuration_id: Type.Optional(Uuid),
    confirm: Type.Optional(
      Type.Literal(true, {
        description:
          'Lets a suspended hook run its tool as it is now. Needs the ability `approvals:write` while the tool asks.',
      }),
    ),
    ...writableProperties,
  },
  { examples: [{ enabled: false }] },
);
export type PostCallHookUpdate = Static<typeof PostCallHookUpdate>;

export const PostCallHook = Type.Object(
  {
    id: Uuid,
    bot_id: Uuid,
    tool_configuration_id: Uuid,
    tool_type: Type.String(),
    tool_name: Type.String(),
    run_order: Type.Integer(),
    enabled: Type.Boolean(),
    suspended: Nullable(
      Type.String({
        description:
          'Why it does not run although it is enabled: the calls of its tool need approval, and nobody has confirmed that the hook may run it as it is now.',
      }),
    ),
    params_template: ParamsTemplate,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'PostCallHook',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        tool_configuration_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e92',
        tool_type: 'http_request',
        tool_name: 'Note taker',
        run_order: 0,
        enabled: true,
        suspended: null,
        params_template: { note: '{{summary}}' },
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type PostCallHook = Static<typeof PostCallHook>;
