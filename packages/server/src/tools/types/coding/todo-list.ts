import { compileCheck } from '../../../validation/checker.ts';
import { defineFunction } from '../../define-function.ts';
import type { ToolFunction } from '../../tool-type.ts';

interface Todos {
  todos: { task: string; status: 'pending' | 'in_progress' | 'done' }[];
}

const parameters = {
  type: 'object' as const,
  properties: {
    todos: {
      type: 'array',
      maxItems: 100,
      description: 'The whole list, in the order of work. It replaces the list before it.',
      items: {
        type: 'object',
        properties: {
          task: { type: 'string', minLength: 1, maxLength: 500 },
          status: {
            type: 'string',
            enum: ['pending', 'in_progress', 'done'],
            description: 'At most one should be in_progress.',
          },
        },
        required: ['task', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
};

const boxes = { pending: '[ ]', in_progress: '[~]', done: '[x]' };

/** A list that the model keeps of its own work. The conversation has it, so it is stored nowhere else. */
export const todoFunction: ToolFunction = defineFunction<Todos>({
  name: 'update_todos',
  description:
    'Notes what you have to do, and shows it to the user. Use it for work of three or more steps: write the list before you begin, and again whenever something is begun, done, added or dropped.',
  parameters,
  approval: 'never',
  readOnly: true,
  check: compileCheck(parameters),
  async run({ todos }) {
    const lines = todos.map(({ task, status }) => `${boxes[status]} ${task}`);
    const left = todos.filter(({ status }) => status !== 'done').length;
    const summary = todos.length === 0 ? 'The list is empty.' : `${left} of ${todos.length} left.`;
    return { status: 'ok', content: [...lines, summary].join('\n'), result: { todos } };
  },
});
