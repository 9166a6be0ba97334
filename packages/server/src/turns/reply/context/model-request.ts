import type { Model, ModelMessage, ModelRequest, ToolDefinition } from '../../../models/model.ts';
import { type ModelImage, maxShownImages } from '../../../models/model-image.ts';
import type { BoundFunction } from '../../../tools/tools.service.ts';
import { runInstructions } from '../../completion/instructions.ts';
import type { PlacedMessage, TurnState } from '../../state.ts';
import { aboutOperators, inModelOrder, operatorText, withoutMark } from '../operators/for-models.ts';
import { numberFound } from '../passages/number-passages.ts';
import { passagesThatFit, quotePassages } from '../passages/quote-passages.ts';
import { fitTurn } from './fit-turn.ts';
import { historyBudget, splitHistory, withoutOpening } from './split-history.ts';
import { stepLimitNotice } from './step-limit.ts';

/** The latest turn gets this share of the context window. */
const shareOfTurn = 0.6;
/** Of that, for passages. */
const shareOfPassages = 0.4;

/** The request to the model: instructions, the summary of earlier turns, and the latest turns in full. */
export function modelRequest(state: TurnState, model: Model, channelNote?: string): ModelRequest {
  const { temperature, chat_greeting: greeting } = state.bot.settings;
  const { opening = greeting, said } = withoutOpening(state.messages);
  const room = model.contextWindow * shareOfTurn;
  const passages = passagesThatFit(numberFound(state.passages ?? []), room * shareOfPassages);
  const messages = inModelOrder(said);
  const latest = quotePassages(splitHistory(messages, historyBudget(model)).kept, passages);
  // With the passages there may be room for fewer turns.
  const kept = fitTurn(splitHistory(latest, room).kept, room);
  const images = kept.flatMap((message) => message.images ?? []).slice(-maxShownImages);
  const seen = new Set(images.length > 0 && model.capabilities.images ? images : []);
  const notice = stepLimitNotice(state);
  const system = [
    state.bot.systemPrompt,
    channelNote,
    state.places,
    state.run ? runInstructions(state.run) : opening && `You opened the conversation with: ${opening}`,
    state.summary && `What was said before, in short:\n${withoutMark(state.summary)}`,
    kept.some(({ role }) => role === 'operator') && aboutOperators,
    notice,
  ];
  return {
    system: system.filter(Boolean).join('\n\n'),
    messages: kept.filter(saysSomething).map((message) => toModelMessage(message, kept, seen)),
    ...(state.functions?.length && { tools: state.functions.map(toDefinition) }),
    ...(notice && { toolsDisabled: true as const }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(passages.length > 0 && { passages }),
  };
}

/** Providers refuse empty messages, and an empty reply must not make a conversation unusable. */
function saysSomething({ content, toolCalls, role }: PlacedMessage): boolean {
  return content !== '' || toolCalls.length > 0 || role === 'tool';
}

function toDefinition({ name, description, parameters }: BoundFunction): ToolDefinition {
  return { name, description, parameters };
}

function toModelMessage(
  message: PlacedMessage,
  all: readonly PlacedMessage[],
  seen: ReadonlySet<ModelImage>,
): ModelMessage {
  switch (message.role) {
    case 'user': {
      const images = (message.images ?? []).filter((image) => seen.has(image));
      const content = [message.content, message.attached].filter(Boolean).join('\n\n');
      return { role: 'user', content: withoutMark(content), ...(images.length > 0 && { images }) };
    }
    case 'operator':
      return { role: 'user', content: operatorText(message.content) };
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
    case 'tool': {
      const images = (message.images ?? []).filter((image) => seen.has(image));
      return {
        role: 'tool',
        toolCallId: message.toolCallId ?? '',
        toolName: nameOfCall(message.toolCallId, all),
        content: withoutMark(message.content) + noteOf(images),
        ...(message.failed && { isError: true as const }),
        ...(images.length > 0 && { images }),
      };
    }
  }
}

/** Models are told which images they see, because results of earlier turns have mentioned images that are gone. */
function noteOf({ length }: readonly ModelImage[]): string {
  if (length === 0) return '';
  return `\n\n[Shown with this result: the last ${length === 1 ? 'image' : `${length} images`}.]`;
}

function nameOfCall(id: string | null, messages: readonly PlacedMessage[]): string {
  const calls = messages.flatMap((message) => message.toolCalls);
  return calls.find((call) => call.id === id)?.name ?? 'unknown';
}
