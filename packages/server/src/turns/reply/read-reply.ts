import type { Model, ModelRequest, ToolCallPart, Usage } from '../../models/model.ts';
import type { LiveReply } from '../live-replies.ts';
import { createWholeCharacters } from '../whole-characters.ts';
import { guessUsage } from './usage-entry.ts';

/** Reads a reply to its end. What has come of it stands in `reply`, also when it breaks off. */
export async function readReply(
  model: Model,
  request: ModelRequest,
  reply: LiveReply,
  signal: AbortSignal,
): Promise<{ usage: Usage; calls: ToolCallPart[] }> {
  const calls: ToolCallPart[] = [];
  const characters = createWholeCharacters();
  const append = (text: string) => {
    if (text) reply.append(text);
  };
  let usage: Usage | undefined;
  for await (const part of model.stream(request, signal)) {
    if (part.type === 'text') append(characters.push(part.text));
    if (part.type === 'tool-call') calls.push(part);
    if (part.type === 'finish') usage = part.usage;
  }
  append(characters.rest());
  return { usage: usage ?? guessUsage(request, reply.text), calls };
}
