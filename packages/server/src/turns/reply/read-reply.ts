import type { OnPart, ToolCallPart, Usage } from '../../models/model.ts';
import type { Attempt } from './attempt.ts';
import { createWholeCharacters } from './whole-characters.ts';

/** Reads a reply to its end. `reply` and `marks` have what was received, even if it breaks off. */
export async function readReply(
  { asked: { model, request }, reply, marks }: Pick<Attempt, 'asked' | 'reply' | 'marks'>,
  signal: AbortSignal,
): Promise<{ usage: Usage | null; calls: ToolCallPart[] }> {
  const calls: ToolCallPart[] = [];
  const characters = createWholeCharacters();
  const append = (text: string) => {
    if (text) reply.append(text);
  };
  const flush = () => marks.push(characters.flush()) + marks.flush();
  let usage: Usage | null = null;
  const read: OnPart = (part) => {
    if (part.type === 'text' && part.isQuotation) append(flush() + part.text);
    else if (part.type === 'text') append(marks.push(characters.push(part.text)));
    if (part.type === 'tool-call') calls.push(part);
    if (part.type === 'finish') usage = part.usage;
  };
  await model.reply(request, read, signal);
  append(flush());
  return { usage, calls };
}
