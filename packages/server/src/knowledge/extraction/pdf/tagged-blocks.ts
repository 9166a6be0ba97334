import { gatherLines, joinLines } from './lines.ts';
import type { PlacedText } from './placed-text.ts';

/** The content of one page. */
export interface PdfPage {
  height: number;
  pieces: readonly PlacedText[];
  /** Headings, lists and tables as tagged by the program that wrote the file; null in most files. */
  structure: StructureNode | null;
}

/** A node of the structure tree that some programs write along with the text. */
export interface StructureNode {
  role?: string;
  /** The id of a leaf's marked content. */
  type?: string;
  id?: string;
  alt?: string;
  children?: StructureNode[];
}

export type TaggedBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; rows: string[][]; hasHeader: boolean };

/** Finds the blocks of a page in its structure tree. */
export function taggedBlocks(structure: StructureNode, pieces: readonly PlacedText[]): TaggedBlock[] {
  const marked = Map.groupBy(
    pieces.filter(({ mark }) => mark !== undefined),
    ({ mark }) => mark,
  );
  const textOf = (node: StructureNode, skipped?: string): string => {
    const found = leavesOf(node, skipped).flatMap(({ id }) => marked.get(id) ?? []);
    const text = gatherLines(found).reduce((joined, line) => joinLines(joined, line.text), '');
    return text || (node.alt ?? '').trim();
  };

  function walk(node: StructureNode): TaggedBlock[] {
    const role = node.role ?? '';
    const level = /^H([1-6])$/.exec(role)?.[1];
    if (level || role === 'H' || role === 'Title') {
      return [{ kind: 'heading', level: Number(level ?? (role === 'H' ? 2 : 1)), text: textOf(node) }];
    }
    if (role === 'L') return [{ kind: 'list', items: itemsOf(node, 0) }];
    if (role === 'Table') return tableOf(node);
    const children = node.children ?? [];
    const isText =
      blockRoles.test(role) || children.some((child) => child.type || inlineRoles.test(child.role ?? ''));
    return isText ? [{ kind: 'paragraph', text: textOf(node) }] : children.flatMap(walk);
  }

  function itemsOf(list: StructureNode, depth: number): string[] {
    return (list.children ?? []).flatMap((item) => {
      if (item.role === 'L') return itemsOf(item, depth + 1);
      const label = nodesOf(item, 'Lbl')[0];
      const marker = /^(\d{1,3}|\w)[.)]$/.exec(label ? textOf(label).trim() : '')?.[0] ?? '-';
      const body = textOf(
        { ...item, children: (item.children ?? []).filter((child) => child !== label) },
        'L',
      );
      const nested = nodesOf(item, 'L').flatMap((inner) => itemsOf(inner, depth + 1));
      return body === '' ? nested : [`${'    '.repeat(depth)}${marker} ${body}`, ...nested];
    });
  }

  function tableOf(table: StructureNode): TaggedBlock[] {
    const rows = nodesOf(table, 'TR');
    const cells = rows.map((row) =>
      (row.children ?? []).filter(({ role }) => role === 'TH' || role === 'TD'),
    );
    const isData = cells.length > 1 && cells.some((row) => row.length > 1);
    if (!isData) return cells.flat().map((cell) => ({ kind: 'paragraph', text: textOf(cell) }));
    const hasHeader = cells[0]?.every(({ role }) => role === 'TH') ?? false;
    // A page has the whole table, with empty rows for those on other pages.
    const texts = cells.map((row) => row.map((cell) => textOf(cell))).filter((row) => row.some(Boolean));
    return [{ kind: 'table', hasHeader: hasHeader && textOf(rows[0] ?? {}) !== '', rows: texts }];
  }

  const tagged = new Set(leavesOf(structure).map(({ id }) => id));
  const untagged = pieces.filter(({ isFilledIn, mark }) => isFilledIn && !tagged.has(mark));
  const filledIn = gatherLines(untagged).map(({ text }): TaggedBlock => ({ kind: 'paragraph', text }));
  return [...walk(structure), ...filledIn].filter(hasText);
}

const blockRoles = /^(P|Caption|BlockQuote|Quote|Note|Code|Figure|Formula|TOCI|LI|LBody)$/;
const inlineRoles = /^(Span|Link|Em|Strong|Reference|Annot|Sub|FENote)$/;

function hasText(block: TaggedBlock): boolean {
  if (block.kind === 'list') return block.items.length > 0;
  return block.kind === 'table' ? block.rows.flat().some(Boolean) : block.text !== '';
}

/** Marked content below a node, in order, without that below the skipped role. */
function leavesOf(node: StructureNode, skipped?: string): StructureNode[] {
  if (node.type) return [node];
  return (node.children ?? []).flatMap((child) =>
    child.role === skipped && skipped ? [] : leavesOf(child, skipped),
  );
}

/** The nearest nodes of a role. */
function nodesOf(node: StructureNode, role: string): StructureNode[] {
  return (node.children ?? []).flatMap((child) => (child.role === role ? [child] : nodesOf(child, role)));
}
