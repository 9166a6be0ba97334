export type ExtractedJson = { kind: 'json'; value: unknown } | { kind: 'broken'; problem: string };

/** Walking deeper values recursively, as JSON.stringify does, could overflow the stack. */
const maxDepth = 1_000;
/** Each failed attempt to parse one costs an exception. */
const maxBlocks = 100;
const fence = /```\w*[ \t]*\n([\s\S]*?)```/g;
const objectStart = /\{\s*["}]/;

/**
 * The JSON that a model wrote: the whole text or one fenced block and, where prose is allowed around it, one object or
 * list. A text with two candidates has none. Takes linear time on any text. A problem reads as the end of a sentence.
 */
export function extractJson(text: string, { allowProse }: { allowProse: boolean }): ExtractedJson {
  const found = findJson(text, allowProse);
  return found.kind === 'json' && isDeeperThan(found.value, maxDepth)
    ? broken(`is nested more than ${maxDepth} levels deep`)
    : found;
}

function findJson(text: string, allowProse: boolean): ExtractedJson {
  const whole = parse(text);
  if (whole.kind === 'json') return whole;
  const fenced = [...text.matchAll(fence)];
  if (fenced.length > maxBlocks) return broken(`has more than ${maxBlocks} blocks`);
  const blocks = fenced.map(([, inner = '']) => parse(inner));
  const [block, ...others] = blocks.filter(({ kind }) => kind === 'json');
  if (others.length > 0) return broken('is more than one block of JSON');
  if (block) {
    const isRivalled = allowProse && objectStart.test(text.replaceAll(fence, ''));
    return isRivalled ? broken('is more than one JSON value') : block;
  }
  return (allowProse ? parseInProse(text) : undefined) ?? blocks[0] ?? whole;
}

/** From the first bracket to the last, which is not valid JSON if another value is in between. */
function parseInProse(text: string): ExtractedJson | undefined {
  const object = { start: text.indexOf('{'), end: text.lastIndexOf('}') };
  const list = { start: text.indexOf('['), end: text.lastIndexOf(']') };
  if (object.start === -1) return undefined;
  const isListAround = list.start !== -1 && list.start < object.start && list.end > object.end;
  const found = isListAround ? parse(text.slice(list.start, list.end + 1)) : undefined;
  return found?.kind === 'json' ? found : parse(text.slice(object.start, object.end + 1));
}

function parse(text: string): ExtractedJson {
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    return broken(`is not valid JSON: ${(error as Error).message}`);
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isDeeperThan(entry, levels - 1));
}

function broken(problem: string): ExtractedJson {
  return { kind: 'broken', problem };
}
