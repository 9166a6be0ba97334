import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { pageText, pageTitle } from './page-text.ts';
import { tidyPage } from './tidy-page.ts';
import { toMarkdown } from './to-markdown.ts';

export interface LaidOutPage {
  title: string;
  markdown: string;
}

/** More is no article, and takes Readability seconds. */
const maxNodes = 50_000;
/** An article that leaves out more of the page's main part was misread. */
const minShare = 1 / 3;

/**
 * The readable part of a page as markdown. It runs beside the service: some pages take minutes. Nothing is loaded and
 * nothing in the page is run.
 */
export function layOutPage(html: string, address?: string): LaidOutPage {
  const page = tidyPage(html, address);
  if (!page) return { title: pageTitle(html), markdown: pageText(html, Infinity) };
  const { title, body, main } = page;
  const article = page.nodes > maxNodes ? undefined : findArticle(body);
  if (article && article.text.length >= pageText(main, Infinity).length * minShare) {
    return { title: title || article.title, markdown: toMarkdown(article.content) };
  }
  return { title, markdown: toMarkdown(main) || toMarkdown(body) };
}

/** All of a document as markdown: nothing in it stands around something else. */
export function layOutDocument(html: string): string {
  const page = tidyPage(html, undefined);
  return page ? toMarkdown(page.body) : pageText(html, Infinity);
}

/** Undefined for pages that are no article: lists, search results. */
function findArticle(body: string): { title: string; text: string; content: HTMLElement } | undefined {
  const { document } = parseHTML(`<!doctype html><html><head></head><body>${body}</body></html>`);
  // Readability makes them headings of the second level, and they would stand beside those below them.
  for (const heading of document.querySelectorAll('h1')) heading.setAttribute('data-level', '1');
  const article = new Readability<Node>(document, { serializer: (node) => node }).parse();
  const text = article?.textContent?.trim();
  if (!article?.content || !text) return undefined;
  return { title: article.title ?? '', text, content: article.content as HTMLElement };
}
