import { compileCheck } from '../../../validation/checker.ts';
import { defineFunction } from '../../define-function.ts';
import type { Planning, ToolFunction } from '../../tool-type.ts';

const parameters = {
  type: 'object',
  properties: {
    plan: {
      type: 'string',
      minLength: 1,
      maxLength: 32_000,
      description: 'What you will change and run, step by step, with the names of files. Markdown.',
    },
  },
  required: ['plan'],
  additionalProperties: false,
};
const check = compileCheck<{ plan: string }>(parameters);

/** Asks a person to approve what the model is going to do. Until then it can only read. */
export function presentPlan(planning: Planning): ToolFunction {
  return defineFunction<{ plan: string }>({
    name: 'present_plan',
    description:
      'This conversation is in plan mode: you can read and search, but nothing that changes anything is available yet. Find out what you need to know, then call this with your plan. When a person approves it, you get the functions that change files and run commands. If they deny it, read their reason and present a better plan.',
    parameters,
    approval: 'always',
    approvalTitle: 'Carry out this plan',
    readOnly: true,
    changesOffers: true,
    check,
    describeCall: async ({ plan }) => ({ context: { kind: 'call', summary: String(plan) } }),
    async run(_given, run) {
      await planning.end(run);
      const content = 'The plan was approved. Carry it out: you can change files and run commands now.';
      return { status: 'ok', content, result: { approved: true } };
    },
  });
}
