/**
 * The JSON object in a model's answer. Models put it in a code block or words around it, however plainly they are asked
 * not to; anything that is not exactly one object is no answer.
 */
export function readJsonAnswer(text: string): Record<string, unknown> | undefined {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start === -1 || end < start) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
