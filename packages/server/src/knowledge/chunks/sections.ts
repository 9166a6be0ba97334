import { type Block, readBlocks } from './blocks.ts';

export interface Section {
  /** Headings, outermost first. */
  path: string[];
  blocks: Block[];
}

/** The blocks under each heading. A heading without text becomes its own text, so that it can be found. */
export function readSections(markdown: string): Section[] {
  const sections: Section[] = [];
  let open: { level: number; text: string }[] = [];
  let current: Section = { path: [], blocks: [] };
  const finish = (nextLevel: number) => {
    const heading = open.at(-1);
    const isBare = current.blocks.length === 0 && heading !== undefined && nextLevel <= heading.level;
    if (isBare) current.blocks.push({ kind: 'paragraph', head: '', parts: [heading.text], tail: '' });
    if (current.blocks.length > 0) sections.push(current);
  };
  for (const block of readBlocks(markdown)) {
    if (block.kind !== 'heading') {
      current.blocks.push(block);
      continue;
    }
    finish(block.level);
    open = [...open.filter(({ level }) => level < block.level), { level: block.level, text: block.text }];
    current = { path: open.map(({ text }) => text), blocks: [] };
  }
  finish(0);
  return sections;
}
