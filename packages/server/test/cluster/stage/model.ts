import {
  type Script,
  type ScriptStep,
  splitIntoTokens,
  status,
  text,
  toolCalls,
} from '../../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../scripted-model/server.ts';
import { type Directive, readDirective } from '../load/directive.ts';

interface AskedMessage {
  role: string;
  content: unknown;
}

/** A model that follows the directive in the latest user message, in OpenAI's wire format. */
export async function startDirectedModel(): Promise<ScriptedModel> {
  const model = await startScriptedModel({ record: false });
  const attempts = new Map<string, number>();
  model.respondWith(({ body }) => {
    const messages = (body['messages'] ?? []) as AskedMessage[];
    if (textOf(messages[0]).startsWith('You check whether an autonomous agent')) {
      return [text(JSON.stringify({ verdict: 'complete', missing: [] }))];
    }
    const index = messages.findLastIndex((message) => readDirective(textOf(message)) !== undefined);
    const directive = readDirective(textOf(messages[index]));
    if (!directive) return [text('There is nothing to do.')];
    const step = messages.slice(index).filter(({ role }) => role === 'assistant').length;
    const name = `${directive.tag}.${step}`;
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    return scriptOf(directive, step, attempt);
  });
  return model;
}

function scriptOf(directive: Directive, step: number, attempt: number): Script {
  const failure = attempt === 1 ? directive.failures[step] : undefined;
  if (failure === 'limited')
    return [status(429, { 'retry-after': '1' }, { error: { message: 'Slow down.' } })];
  if (failure === 'unavailable') return [status(503, {}, { error: { message: 'Overloaded.' } })];
  // Every attempt has another text, so that a mixture of two attempts shows.
  const words = Array.from(
    { length: directive.words[step] ?? 3 },
    (_, index) => `${directive.tag}/${step}/${attempt}/${index}`,
  );
  const spoken: ScriptStep = { type: 'text', text: words.join(' '), delayMs: directive.pace };
  if (failure === 'cut') {
    const half = splitIntoTokens(spoken.text)
      .slice(0, Math.ceil(words.length / 2))
      .join('');
    return [{ ...spoken, text: half }, { type: 'cut' }];
  }
  const names = directive.calls[step] ?? [];
  if (names.length === 0) return [spoken];
  const calls = names.map((name, index) => ({
    name,
    id: `call_${directive.tag}_${step}_${attempt}_${index}`,
    arguments: { ref: `${directive.tag}/${step}/${attempt}/${index}`, note: 'proposed' },
  }));
  return [spoken, toolCalls(calls)];
}

function textOf(message: AskedMessage | undefined): string {
  const { content } = message ?? {};
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
