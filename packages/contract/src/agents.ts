import { type Static, Type } from 'typebox';
import { Strict, Uuid } from './common.ts';

export const triggerBodyLimitBytes = 65_536;

const fields = Strict({
  payload: Type.Optional(
    Type.String({ description: 'Context for this run: appended to the goal under `Trigger payload:`.' }),
  ),
  max_iterations: Type.Optional(
    Type.Integer({ description: "In place of the agent's own limit; zero or less leaves it as it is." }),
  ),
});

/** The body is optional: the validator sees `null` when it is missing. */
export const TriggerRun = Type.Unsafe<Static<typeof fields> | null | undefined>({
  ...fields,
  type: ['object', 'null'],
  examples: [{ payload: 'Only orders of today.', max_iterations: 10 }],
});

export type TriggerRun = Static<typeof TriggerRun>;

export const TriggeredRun = Type.Object(
  {
    success: Type.Literal(true),
    data: Type.Object({
      conversation_id: Uuid,
      status: Type.Literal('accepted'),
    }),
    message: Type.String(),
  },
  {
    $id: 'TriggeredRun',
    examples: [
      {
        success: true,
        data: { conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e93', status: 'accepted' },
        message: 'The run has started: its outcome will be on the conversation.',
      },
    ],
  },
);
export type TriggeredRun = Static<typeof TriggeredRun>;
