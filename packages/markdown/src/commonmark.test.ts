import { tests } from 'commonmark-spec';
import { expect, it } from 'vitest';
import type { MarkdownNode } from './markdown-node.ts';
import { parseBlocks } from './parse-blocks.ts';

/*
 * The examples of the CommonMark specification. Our Markdown is a part of it, and reads some things as people who chat mean them:
 * what differs is listed here, and a difference that is not listed fails, as does one that is listed and gone.
 */

/** Sections of the specification that messages do not have, because models do not write them or they are not safe. */
const left: Record<string, string> = {
  'HTML blocks': 'Nothing in a message is HTML.',
  'Raw HTML': 'The same.',
  'Link reference definitions': 'Models write addresses where they are used.',
  'Indented code blocks': 'Models put code into fences, and indent text for no reason.',
};

/** Examples of the other sections that are shown differently, with the reason. */
const different: { why: string; examples: number[] }[] = [
  {
    why: 'Indented text is text: models put code into fences.',
    examples: [
      1, 2, 3, 5, 6, 7, 8, 18, 36, 48, 69, 85, 100, 134, 225, 231, 236, 252, 253, 254, 257, 264, 270, 271,
      272, 273, 274, 278, 286, 287, 288, 289, 290, 309, 313,
    ],
  },
  {
    why: 'Tags are shown as they are written.',
    examples: [21, 31, 308, 344, 475, 476, 477, 491, 524, 642, 643],
  },
  {
    why: 'There are no definitions of links to refer to.',
    examples: [
      23, 33, 317, 527, 528, 529, 530, 531, 532, 533, 534, 535, 536, 537, 538, 539, 540, 541, 542, 543, 544,
      545, 549, 550, 553, 554, 555, 556, 557, 558, 559, 560, 561, 562, 563, 564, 565, 566, 567, 568, 569, 570,
      571, 573, 576, 577, 582, 583, 584, 585, 586, 587, 588, 589, 591, 592, 593,
    ],
  },
  {
    why: 'A quotation ends with its marks: the line after it is usually an answer to it.',
    examples: [93, 232, 233, 238, 247, 250, 251, 292, 293],
  },
  { why: 'Only names that models write are decoded, and no controls.', examples: [25, 26, 39, 40] },
  {
    why: 'Items may be indented more or less than their list, marked differently, and empty.',
    examples: [276, 280, 285, 295, 297, 301, 302, 310, 311, 312, 367],
  },
  {
    why: 'Markers count beside any punctuation, and not between digits.',
    examples: [352, 354, 356, 359, 363, 368, 369, 372, 373, 380, 385, 392, 398],
  },
  {
    why: 'Markers that do not match those before them stay text, and so do more than three in a row.',
    examples: [
      408, 409, 413, 417, 426, 427, 442, 443, 444, 445, 447, 454, 455, 456, 457, 459, 464, 465, 466, 468,
    ],
  },
  { why: 'Of three markers, the first two are the outer ones.', examples: [416, 467] },
  { why: 'Lines are trimmed before code is found in them.', examples: [335, 336, 337, 640, 641] },
  { why: 'A link is found before code and addresses that begin in its label.', examples: [342, 525, 526] },
  {
    why: 'Addresses with escapes, line breaks, or brackets within brackets in their labels are not links.',
    examples: [489, 493, 494, 498, 500, 508, 510, 512, 520, 575, 579],
  },
  { why: 'Without a label, the address is shown.', examples: [484, 581] },
  { why: 'Only web addresses are linked without a label.', examples: [596, 597, 598, 599, 601, 604, 605] },
  { why: 'Web addresses are linked without brackets, too.', examples: [346, 602, 608, 611] },
  { why: 'Addresses are written as browsers write them.', examples: [20, 603] },
  { why: 'Tabs do not separate marks from text.', examples: [10, 11] },
  { why: 'A mark without a text is text while it may still grow.', examples: [79] },
  { why: 'The first line of a fence has no backticks.', examples: [146] },
];

/** Our elements as the HTML of the specification, as far as both can be compared. */
function toHtml(node: MarkdownNode): string {
  if (typeof node === 'string') return escaped(node);
  const { tag, href, number, children } = node;
  const inner = children.map(toHtml).join('');
  if (tag === 'citation') return inner;
  if (tag === 'br') return '\n';
  if (tag === 'hr') return '<hr />';
  const attributes = `${href ? ` href="${escaped(href)}"` : ''}${number === undefined ? '' : ` start="${number}"`}`;
  return `<${tag}${attributes}>${inner}</${tag}>`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Without what is different on purpose: levels of headings, languages of code, distances in lists, titles of links; pictures are
 * their descriptions, and only absolute addresses are linked.
 */
function comparable(html: string): string {
  return html
    .replaceAll('→', '\t')
    .replace(/<(\/?)h\d>/g, '<$1h3>')
    .replace(/<img src="[^"]*" alt="([^"]*)"[^>]*>/g, '$1')
    .replace(/ (class|title)="[^"]*"/g, '')
    .replace(/<a href="(?!https?:|mailto:)[^"]*">(.*?)<\/a>/gs, '$1')
    .replace(/<a href="(https?:[^"]*)">/g, (_link, href: string) => `<a href="${new URL(href).href}">`)
    .replaceAll('<br />\n', '\n')
    .replace(/<li>.*<\/li>/gs, (items) => items.replace(/<\/?p>|\n\n+/g, '\n').replace(/\n+/g, '\n'))
    .replace(/(<\/?(?:p|h3|pre|blockquote|ul|ol|li|hr)\b[^>]*>)\n+/g, '$1')
    .replace(/\n+(?=<\/?(?:p|h3|pre|blockquote|ul|ol|li|hr|\/code)\b)/g, '')
    .replaceAll('\n</code>', '</code>')
    .trim();
}

const ours = (markdown: string) =>
  parseBlocks(markdown.replaceAll('→', '\t').split('\n'), { isGrowing: false })
    .map(({ node }) => toHtml(node))
    .join('\n');

const sections = Map.groupBy(tests, ({ section }) => section);

it.each([...sections].filter(([section]) => !(section in left)))(
  'reads what the specification says about %s, except as listed',
  (_section, examples) => {
    const listed = new Set(different.flatMap((reason) => reason.examples));
    const differing = examples.filter(
      ({ markdown, html }) => comparable(ours(markdown)) !== comparable(html),
    );
    expect(differing.map(({ number }) => number)).toEqual(
      examples.map(({ number }) => number).filter((number) => listed.has(number)),
    );
  },
);

it('shows all of what it does not understand', () => {
  for (const { markdown, section } of tests.filter((test) => test.section in left)) {
    const words = markdown.match(/[a-z]{2,}/gi) ?? [];
    const shown = ours(markdown);
    for (const word of words) expect(shown, `${section}: ${markdown}`).toContain(word);
  }
});
