import { howToCite, type KnownPassage, quotePassage } from '../../models/passages.ts';
import { compileCheck } from '../../validation/checker.ts';
import { defineFunction } from '../define-function.ts';
import { functionName } from '../function-name.ts';
import { succeeded } from '../tool-result.ts';
import type { EmbeddingUse, ToolType } from '../tool-type.ts';

export interface KnowledgeSearch {
  /** Passages that the bot may use, best first; none when nothing matches. `botId` is undefined when a tool is tested. */
  search(
    question: {
      workspaceId: string;
      botId: string | undefined;
      query: string;
      limit: number;
      /** The turn that asks; undefined when a tool is tested. */
      turn: { conversationId: string; turnId: string } | undefined;
    },
    signal: AbortSignal,
  ): Promise<{ passages: KnownPassage[]; used: EmbeddingUse | undefined }>;
}

const defaultLimit = 5;

const parameters = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'What to look for, in plain words.',
    },
  },
  required: ['query'],
  additionalProperties: false,
};
const check = compileCheck<{ query: string }>(parameters);

export function createKnowledgeSearch(knowledge: KnowledgeSearch): ToolType {
  return {
    type: 'knowledge_search',
    name: 'Knowledge search',
    description: "Searches the bot's knowledge: documents, pages and texts that it was given.",
    configurationSchema: {
      type: 'object',
      properties: {
        limit: {
          type: 'integer',
          title: 'Passages at most',
          minimum: 1,
          maximum: 20,
          description: `How many passages it finds at most; ${defaultLimit} when left out.`,
        },
      },
      additionalProperties: false,
    },
    readOnly: true,
    asks: () => ({}),
    needsNoConfiguration: true,
    presets: [],
    functions: async ({ name, description, configuration }) => [
      defineFunction({
        name: functionName(name),
        description,
        parameters,
        check,
        async run({ query }, { workspaceId, botId, conversationId, turnId, signal }) {
          const limit = (configuration['limit'] as number | undefined) ?? defaultLimit;
          const turn = conversationId && turnId ? { conversationId, turnId } : undefined;
          const question = { workspaceId, botId, query, limit, turn };
          const { passages, used } = await knowledge.search(question, signal);
          return {
            ...succeeded(describePassages(passages, 1), { passages }),
            passages,
            ...(used && { used }),
          };
        },
      }),
    ],
  };
}

/** The result of a search as the model gets it. A reply cites a passage by its number. */
export function describePassages(passages: readonly KnownPassage[], firstNumber: number): string {
  if (passages.length === 0) return 'Nothing in the knowledge fits this question.';
  const found = passages.map((passage, index) => quotePassage({ ...passage, number: firstNumber + index }));
  return [`Passages from the knowledge base. ${howToCite}`, ...found].join('\n\n');
}
