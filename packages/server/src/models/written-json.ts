export type WrittenJson = { kind: 'json'; value: unknown } | { kind: 'broken'; problem: string };

/** What a model wrote as JSON: alone, or inside one fence of markdown, with or without words around it. */
export function readWrittenJson(text: string): WrittenJson {
  const whole = parse(text);
  if (whole.kind === 'json') return whole;
  const fenced = [...text.matchAll(/```\w*[ \t]*\n([\s\S]*?)```/g)].map(([, inner = '']) => parse(inner));
  const [only, ...others] = fenced.filter(({ kind }) => kind === 'json');
  if (others.length > 0) return { kind: 'broken', problem: 'is more than one block of JSON' };
  return only ?? fenced[0] ?? whole;
}

export function parse(text: string): WrittenJson {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'broken', problem: `is not valid JSON: ${(error as Error).message}` };
  }
}
