import {
  type CallField,
  callFields,
  functionKey,
  lonePlaceholder,
  maxDepth,
  placeholder,
} from '../../post-call-hooks/post-call-hooks.service.ts';

export interface TemplateValues {
  call: Record<CallField, string | number | null>;
  transcript: string;
  summary: string;
  conversationId: string;
}

/** The arguments would be too large, or their template is nested too deeply. */
export class UnfitTemplate extends Error {
  override readonly name = 'UnfitTemplate';
}

/** In UTF-16 units; a template may contain the transcript many times. */
const maxLength = 500_000;

/**
 * The arguments of a hook. Strings are filled in, at any depth; one that is only a placeholder becomes the value itself.
 * What is filled in is never searched for placeholders: callers choose what they say.
 */
export function fillTemplate(
  { [functionKey]: _choice, ...template }: Record<string, unknown>,
  values: TemplateValues,
): Record<string, unknown> {
  let left = maxLength;
  const take = (length: number) => {
    left -= length;
    if (left < 0) throw new UnfitTemplate(`The arguments are longer than ${maxLength} characters.`);
  };
  const fillText = (text: string): unknown => {
    const name = lonePlaceholder.exec(text)?.[1];
    if (name !== undefined) {
      const value = valueOf(name.trim(), values);
      take(toText(value).length);
      return value;
    }
    take(text.length);
    return text.replaceAll(placeholder, (_whole, inner: string) => {
      const filled = toText(valueOf(inner.trim(), values));
      take(filled.length);
      return filled;
    });
  };
  const fill = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return fillText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === maxDepth)
      throw new UnfitTemplate(`The template is nested more than ${maxDepth} levels deep.`);
    if (Array.isArray(value)) return value.map((entry) => fill(entry, depth + 1));
    return fillObject(value, depth);
  };
  const fillObject = (value: object, depth: number) =>
    Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, depth + 1)]));
  return fillObject(template, 0);
}

/** An unknown name, which only templates from before names were checked can have, is left empty. */
function valueOf(name: string, { call, transcript, summary, conversationId }: TemplateValues): unknown {
  switch (name) {
    case 'transcript':
      return transcript;
    case 'summary':
      return summary;
    case 'conversation_id':
      return conversationId;
    case 'call.*':
      return call;
    default: {
      const field = callFields.find((one) => name === `call.${one}`);
      return field ? call[field] : '';
    }
  }
}

function toText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
