import { type Static, Type } from 'typebox';
import { AllOptional, AnyObject, ReadOnly, Strict, Timestamp, Uuid } from './common.ts';

export const maxScenarios = 100;

const FunctionName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-expected': 'a name of letters, digits, _ and -',
  description: 'The name by which the model knows the function.',
  examples: ['find_order'],
});

export const StandIn = Strict({
  function: FunctionName,
  arguments: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      ...AnyObject,
      description:
        'Answers only calls whose arguments have these values, whatever else they have. Left out: answers every call.',
    }),
  ),
  result: Type.Unknown({ description: 'What the model receives: a text, or any JSON.' }),
  is_error: Type.Optional(Type.Boolean({ description: 'The result is that of a failed call.' })),
});
export type StandIn = Static<typeof StandIn>;

const expectations = {
  expected_facts: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
    maxItems: 50,
    description: "What must be true of the bot's answers, each in a sentence. Judged by the bot's own model.",
  }),
  must_call: Type.Array(FunctionName, { maxItems: 50, description: 'Functions that the bot has to call.' }),
  must_not_call: Type.Array(FunctionName, {
    maxItems: 50,
    description: 'Functions that the bot must not call.',
  }),
  stand_ins: Type.Array(StandIn, {
    maxItems: 100,
    description:
      'Answers for calls: no tool acts in an evaluation. The first stand-in that matches answers. A call that none matches gets an error that says so, except calls of tools without effects (calculator, current_time).',
  }),
};

const ScenarioName = Type.String({ minLength: 1, maxLength: 200 });
const Turns = Type.Array(Type.String({ minLength: 1, maxLength: 32_000 }), {
  minItems: 1,
  maxItems: 20,
  description: "The user's messages, one after another.",
});

const readOnly = ReadOnly(['id', 'bot_id', 'created_at', 'updated_at']);

const example = {
  name: 'A parcel that is late',
  turns: ['Where is order 4711?', 'And when will it be here?'],
  expected_facts: ['The parcel is in Cologne.', 'It arrives on Tuesday.'],
  must_call: ['find_order'],
  must_not_call: ['refund_order'],
  stand_ins: [
    {
      function: 'find_order',
      arguments: { number: '4711' },
      result: { place: 'Cologne', arrives: 'Tuesday' },
    },
  ],
};

export const ScenarioCreate = Strict(
  { name: ScenarioName, turns: Turns, ...AllOptional(expectations), ...readOnly },
  { examples: [example] },
);
export type ScenarioCreate = Static<typeof ScenarioCreate>;

export const ScenarioUpdate = Strict(
  { ...AllOptional({ name: ScenarioName, turns: Turns, ...expectations }), ...readOnly },
  {
    description: 'Left out means unchanged.',
    examples: [{ must_not_call: ['refund_order', 'cancel_order'] }],
  },
);
export type ScenarioUpdate = Static<typeof ScenarioUpdate>;

export const Scenario = Type.Object(
  {
    id: Uuid,
    bot_id: Uuid,
    name: ScenarioName,
    turns: Turns,
    ...expectations,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    $id: 'Scenario',
    examples: [
      {
        id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e95',
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        ...example,
        created_at: '2026-11-15T09:30:00.000Z',
        updated_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
);
export type Scenario = Static<typeof Scenario>;

export const ScenarioDraft = Type.Object(
  {
    bot_id: Uuid,
    scenario: Type.Object({ name: ScenarioName, turns: Turns, ...expectations }),
    answers: Type.Array(Type.String(), { description: "The bot's last answer to each turn, shortened." }),
    notes: Type.Array(Type.String(), { description: 'What was left out or shortened.' }),
  },
  {
    $id: 'ScenarioDraft',
    examples: [
      {
        bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
        scenario: { ...example, expected_facts: [], must_not_call: [] },
        answers: ['It is in Cologne.', 'On Tuesday.'],
        notes: [],
      },
    ],
  },
);
export type ScenarioDraft = Static<typeof ScenarioDraft>;

export const ScenarioParams = Type.Object({ id: Uuid, scenario_id: Uuid });
