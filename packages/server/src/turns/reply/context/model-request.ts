import type { Model, ModelMessage, ModelRequest, ToolDefinition } from '../../../models/model.ts';
import type { BoundFunction } from '../../../tools/service.ts';
import { runInstructions } from '../../completion/instructions.ts';
import { beginsTurn, type PlacedMessage, type TurnState } from '../../state.ts';
import { aboutOperators, inModelOrder, operatorWords, withoutMark } from '../operators/for-models.ts';
import { numberFound } from '../passages/number-passages.ts';
import { passagesThatFit, quotePassages } from '../passages/quote-passages.ts';
import { fitTurn, messageTokens } from './fit-turn.ts';
import { stepLimitNotice } from './step-limit.ts';

/**
 * How much of a conversation goes into a request, in tokens. It is bounded well below what large models can read, so
 * that the hundredth turn costs what the tenth did; what falls out is kept as a summary.
 */
const mostHistoryTokens = 16_000;
const shareOfWindow = 0.5;
/** After folding this much stays word for word, so that folding is rare. */
const shareKept = 0.5;
/** The latest turn is kept however long it is, up to what the model can read beside everything else. */
const shareOfTurn = 0.6;
/** Of that, for what the knowledge has on it. */
const shareOfPassages = 0.4;

export function historyBudget(model: Pick<Model, 'contextWindow'>): number {
  return Math.min(mostHistoryTokens, Math.floor(model.contextWindow * shareOfWindow));
}

/** What to ask the model: the instructions, what earlier turns came to, and the latest turns word for word. */
export function modelRequest(state: TurnState, model: Model): ModelRequest {
  const { temperature, chat_greeting: greeting } = state.bot.settings;
  const { opening = greeting, said } = withoutOpening(state.messages);
  const room = model.contextWindow * shareOfTurn;
  const passages = passagesThatFit(numberFound(state.passages ?? []), room * shareOfPassages);
  const messages = inModelOrder(said);
  const latest = quotePassages(splitHistory(messages, historyBudget(model)).kept, passages);
  // With the passages there may be room for fewer turns.
  const kept = fitTurn(splitHistory(latest, room).kept, room);
  const notice = stepLimitNotice(state);
  const system = [
    state.bot.systemPrompt,
    state.run ? runInstructions(state.run) : opening && `You opened the conversation with: ${opening}`,
    state.summary && `What was said before, in short:\n${withoutMark(state.summary)}`,
    kept.some(({ role }) => role === 'operator') && aboutOperators,
    notice,
  ];
  return {
    system: system.filter(Boolean).join('\n\n'),
    messages: kept.filter(saysSomething).map((message) => toModelMessage(message, kept)),
    ...(state.functions?.length && { tools: state.functions.map(toDefinition) }),
    ...(notice && { toolChoice: 'none' as const }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(passages.length > 0 && { passages }),
  };
}

/**
 * What the bot said before anybody else, apart from the rest. A model is told of it among its instructions: several
 * providers, and the chat templates of many open models, refuse a conversation that does not begin with a user's message.
 */
function withoutOpening(messages: readonly PlacedMessage[]): {
  opening: string | undefined;
  said: readonly PlacedMessage[];
} {
  const [first, ...said] = messages;
  const isOpening = first?.role === 'assistant' && first.toolCalls.length === 0;
  return isOpening ? { opening: first.content, said } : { opening: undefined, said: messages };
}

export interface History {
  /** Whole turns, oldest first, that no longer fit. */
  folded: PlacedMessage[];
  /** The rest; the latest turn is always in it. */
  kept: PlacedMessage[];
}

/** Cuts between turns, never inside one. */
export function splitHistory(messages: readonly PlacedMessage[], budget: number): History {
  let used = 0;
  let cut = messages.length;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as PlacedMessage;
    used += messageTokens(message);
    if (used > budget && cut < messages.length) break;
    // What a person wrote between two turns is worth more to the later one than the end of the earlier.
    if (beginsTurn(message) || (message.role === 'operator' && cut === index + 1)) cut = index;
  }
  // A history that does not begin with a user's message has no place to cut before its first one.
  if (cut === messages.length) cut = 0;
  return { folded: messages.slice(0, cut), kept: messages.slice(cut) };
}

/** The turns that a summary should take in now, or none while everything still fits. Never more than fits a request. */
export function turnsToFold(messages: readonly PlacedMessage[], budget: number): PlacedMessage[] {
  const { said } = withoutOpening(messages);
  const total = said.reduce((sum, message) => sum + messageTokens(message), 0);
  return total > budget ? firstTurns(splitHistory(said, budget * shareKept).folded, budget) : [];
}

/** Whole turns from the beginning, as many as fit; one at least, however long. */
function firstTurns(messages: PlacedMessage[], budget: number): PlacedMessage[] {
  let used = 0;
  let cut = 0;
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message) && index > 0) {
      if (used > budget) return messages.slice(0, cut || index);
      cut = index;
    }
    used += messageTokens(message);
  }
  return used > budget && cut > 0 ? messages.slice(0, cut) : messages;
}

/** Providers refuse a message with nothing in it, and a model that once had nothing to say must not end a conversation. */
function saysSomething({ content, toolCalls, role }: PlacedMessage): boolean {
  return content !== '' || toolCalls.length > 0 || role === 'tool';
}

function toDefinition({ name, description, parameters }: BoundFunction): ToolDefinition {
  return { name, description, parameters };
}

function toModelMessage(message: PlacedMessage, all: readonly PlacedMessage[]): ModelMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: withoutMark(message.content) };
    case 'operator':
      return { role: 'user', content: operatorWords(message.content) };
    case 'assistant':
      return {
        role: 'assistant',
        content: withoutMark(message.content),
        ...(message.toolCalls.length > 0 && {
          toolCalls: message.toolCalls.map(
            ({ id, name, arguments: given, provider_state: providerState }) => ({
              id,
              name,
              arguments: given,
              ...(providerState && { providerState }),
            }),
          ),
        }),
      };
    case 'tool':
      return {
        role: 'tool',
        toolCallId: message.toolCallId ?? '',
        toolName: nameOfCall(message.toolCallId, all),
        content: withoutMark(message.content),
      };
  }
}

function nameOfCall(id: string | null, messages: readonly PlacedMessage[]): string {
  const calls = messages.flatMap((message) => message.toolCalls);
  return calls.find((call) => call.id === id)?.name ?? 'unknown';
}
