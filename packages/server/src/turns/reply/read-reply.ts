import type { Citation } from '@svc/contract/conversations';
import type { ToolCallPart, Usage } from '../../models/model.ts';
import type { LiveReply } from '../live-replies.ts';
import { createCitationMarks } from '../passages/citation-marks.ts';
import { createWholeCharacters } from '../whole-characters.ts';
import type { Asked } from './attempt.ts';
import { guessUsage } from './usage-entry.ts';

/** Reads a reply to its end. What has come of it stands in `reply`, also when it breaks off. */
export async function readReply(
  { model, request, passages }: Asked,
  reply: LiveReply,
  signal: AbortSignal,
): Promise<{ usage: Usage; calls: ToolCallPart[]; cited: Citation[] }> {
  const calls: ToolCallPart[] = [];
  const characters = createWholeCharacters();
  const marks = createCitationMarks(passages);
  const append = (text: string) => {
    if (text) reply.append(text);
  };
  let usage: Usage | undefined;
  for await (const part of model.stream(request, signal)) {
    if (part.type === 'text') append(marks.push(characters.push(part.text)));
    if (part.type === 'tool-call') calls.push(part);
    if (part.type === 'finish') usage = part.usage;
  }
  append(marks.push(characters.rest()) + marks.rest());
  return { usage: usage ?? guessUsage(request, reply.text), calls, cited: marks.cited() };
}
