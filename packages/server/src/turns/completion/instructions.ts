import type { RunRow } from '../../runs/runs.service.ts';

const alone = `You are working on a goal by yourself: no person reads along or answers questions. Use your tools until
the goal is reached. Then reply without calling a tool: that reply is your final output. It is accepted once your goal was
compared with what your tools returned; what you only say you did does not count.`;

const json = 'Your final output must be JSON, with nothing before or after it.';

/** What an agent must know about being in a run, beyond its own instructions. */
export function runInstructions({ outputConfig }: Pick<RunRow, 'outputConfig'>): string {
  if (outputConfig?.format !== 'json') return alone;
  const { schema } = outputConfig;
  return [alone, json, schema && `It must fit this JSON Schema:\n${JSON.stringify(schema)}`]
    .filter(Boolean)
    .join('\n\n');
}
