import { AppError } from '../lib/app-error.ts';
import type { Check } from '../validation/checker.ts';
import { functionName } from './function-name.ts';
import { failed } from './tool-result.ts';
import type { ToolFunction, ToolResult, ToolRun, ToolType } from './tool-type.ts';

export interface FunctionDefinition<Given> extends Omit<ToolFunction, 'run' | 'approval'> {
  approval?: ToolFunction['approval'];
  /** Checks arguments against `parameters`. */
  check: Check<Given>;
  run(given: Given, run: ToolRun): Promise<ToolResult> | ToolResult;
}

/** Checks the arguments first, because models make mistakes, and reports to the model what is wrong with them. */
export function defineFunction<Given>({
  check,
  run,
  ...definition
}: FunctionDefinition<Given>): ToolFunction {
  return {
    approval: 'never',
    ...definition,
    async run(given, context) {
      try {
        return await run(check(given, ''), context);
      } catch (error) {
        if (error instanceof AppError) return failed(error.message);
        throw error;
      }
    },
  };
}

/** For a type with a single function, under the tool's own name and description. */
export function onlyFunction<Given>(
  definition: Omit<FunctionDefinition<Given>, 'name' | 'description'>,
): ToolType['functions'] {
  return async ({ name, description }) => [
    defineFunction({ ...definition, name: functionName(name), description }),
  ];
}

/** For types without any configuration. */
export const emptyConfiguration = {
  type: 'object',
  properties: {},
  additionalProperties: false,
} as const;
