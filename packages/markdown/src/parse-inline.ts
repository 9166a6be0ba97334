import { decodeEntities } from './decode-entities.ts';
import { element, type MarkdownElement, type MarkdownNode } from './markdown-node.ts';
import { type FoundLink, findAutolink, findLink, namesOther } from './parse-link.ts';

/** Emphasis that has begun and not ended. */
interface Open {
  marker: string;
  children: MarkdownNode[];
}

export interface InlineOptions {
  /** More text follows, so what is still open at the end is shown as if it were closed. */
  isGrowing: boolean;
  /** The text is the label of a link, in which there can be no other. */
  isLabel?: boolean;
}

const tags: Record<string, MarkdownElement['tag']> = {
  '*': 'em',
  _: 'em',
  '**': 'strong',
  __: 'strong',
  '~~': 's',
};
/** Every character that may begin something other than text. */
const special = /[\\`*_~[!<&\nh]/g;
const maxNesting = 10;
const isWordCharacter = (character: string) => /[\p{L}\p{N}]/u.test(character);
const isSpace = (character: string) => character === '' || /\s/.test(character);

/** Text within a paragraph, heading or cell. Its cost grows with the length of the text, whatever it contains. */
export function parseInline(text: string, { isGrowing, isLabel }: InlineOptions): MarkdownNode[] {
  const root: Open = { marker: '', children: [] };
  const open = [root];
  const without = new Map<string, number>();
  let position = 0;

  const add = (node: MarkdownNode) => addTo((open.at(-1) ?? root).children, node);

  /** The end of a run of backticks; -1 if there is none, which is remembered. */
  function findFence(fence: string, from: number): number {
    if ((without.get(fence) ?? text.length) <= from) return -1;
    for (let at = text.indexOf(fence, from); at !== -1; at = text.indexOf(fence, at + 1)) {
      const end = at + fence.length;
      if (text[end] !== '`' && text[at - 1] !== '`') return at;
      while (text[at + 1] === '`') at += 1;
    }
    without.set(fence, from);
    return -1;
  }

  function takeCode(): boolean {
    const fence = runAt(text, position);
    const start = position + fence.length;
    let end = findFence(fence, start);
    if (end === -1) {
      if (!isGrowing || fence.length > 2 || start === text.length) return false;
      end = text.length;
    }
    const code = text.slice(start, end).replaceAll('\n', ' ');
    const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
    add(element('code', [isPadded ? code.slice(1, -1) : code]));
    position = end + fence.length;
    return true;
  }

  function takeLink({ label, isLiteral, host, isHidden, href, end }: FoundLink): void {
    const children = isLiteral ? [label] : parseInline(label, { isGrowing: false, isLabel: true });
    if (host && (isHidden || namesOther(textOf(children), host, href)))
      addTo(children, children.length === 0 ? host : ` (${host})`);
    if (href === undefined) for (const child of children) add(child);
    else add({ ...element('a', children), href });
    position = end;
  }

  /** Ends what was open since the marker; what began later and did not end becomes text again. */
  function close(marker: string): boolean {
    const index = open.findLastIndex((one) => one.marker === marker);
    const tag = tags[marker];
    if (index <= 0 || !tag) return false;
    flatten(open, index + 1);
    const { children } = open.pop() ?? root;
    add(element(tag, children));
    return true;
  }

  function takeMarkers(): void {
    const run = runAt(text, position);
    const before = text[position - 1] ?? '';
    const after = text[position + run.length] ?? '';
    position += run.length;
    let left = run;
    const joinsWords = isWordCharacter(before) && isWordCharacter(after);
    const isText =
      run.length > 3 ||
      (run.startsWith('~') && run.length !== 2) ||
      (joinsWords && (run.startsWith('_') || (run === '*' && /\d/.test(before) && /\d/.test(after))));
    if (isText) return add(run);
    if (!isSpace(before)) {
      const markers = markersIn(run);
      // What began last ends first.
      if (!open.at(-1)?.marker[1]) markers.reverse();
      for (const marker of markers) {
        if (left.length >= marker.length && close(marker)) left = left.slice(marker.length);
      }
    }
    const opens = left !== '' && !isSpace(after) && open.length < maxNesting;
    if (opens) for (const marker of markersIn(left)) open.push({ marker, children: [] });
    else if (left !== '') add(left);
  }

  while (position < text.length) {
    special.lastIndex = position;
    const next = special.exec(text)?.index ?? text.length;
    if (next > position) add(text.slice(position, next));
    position = next;
    const character = text[position];
    if (character === undefined) break;
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(text[position + 1] ?? '')) {
      add(text.slice(position + 1, position + 2));
      position += 2;
    } else if (character === '\n') {
      add(element('br'));
      position += 1;
    } else if (character === '`') {
      if (!takeCode()) takeText(runAt(text, position).length);
    } else if (tags[character] || character === '~') {
      takeMarkers();
    } else {
      takeOther(character);
    }
  }

  function takeText(length: number): void {
    add(text.slice(position, position + length));
    position += length;
  }

  function takeOther(character: string): void {
    const rest = text.slice(position, position + 12);
    const citation = character === '[' && !isLabel ? /^\[(\d{1,3})\](?!\()/.exec(rest) : null;
    const [entity = ''] = /^&[#\w]{2,8};/.exec(rest) ?? [];
    const lineBreak = character === '<' ? /^<br ?\/?>/i.exec(rest) : null;
    if (citation) {
      add({ ...element('citation', [citation[0]]), number: Number(citation[1]) });
      position += citation[0].length;
    } else if (entity) {
      add(decodeEntities(entity));
      position += entity.length;
    } else if (lineBreak) {
      add(element('br'));
      position += lineBreak[0].length;
    } else {
      const isMidWord = character === 'h' && isWordCharacter(text[position - 1] ?? '');
      const canBeLink = character === '!' || (character === '[' && !isLabel);
      const link = canBeLink
        ? findLink(text, position, isGrowing)
        : isLabel || isMidWord
          ? undefined
          : findAutolink(text, position);
      // A picture within a link leads where the link leads.
      if (link) takeLink(isLabel ? { ...link, href: undefined, host: undefined } : link);
      else takeText(1);
    }
  }

  if (isGrowing) while (open.length > 1) if (!close(open.at(-1)?.marker ?? '')) break;
  flatten(open, 1);
  return root.children;
}

/** Turns what is open from an index on into text. */
function flatten(open: Open[], from: number): void {
  while (open.length > from) {
    const last = open.pop();
    const into = open.at(-1);
    if (!last || !into) return;
    addTo(into.children, last.marker);
    for (const child of last.children) addTo(into.children, child);
  }
}

function textOf(nodes: MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

/** `***` is `**` and `*`. */
function markersIn(run: string): string[] {
  return run.length === 3 ? [run.slice(0, 2), run.slice(2)] : run === '' ? [] : [run];
}

/** The same character as often as it is repeated. */
function runAt(text: string, position: number): string {
  let end = position + 1;
  while (text[end] === text[position]) end += 1;
  return text.slice(position, end);
}

/** Text that follows text becomes one with it. */
function addTo(nodes: MarkdownNode[], node: MarkdownNode): void {
  const last = nodes.at(-1);
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
}
