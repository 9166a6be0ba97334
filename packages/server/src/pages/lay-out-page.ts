import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { pageText, pageTitle } from './page-text.ts';
import { tidyPage } from './tidy-page.ts';
import { toMarkdown } from './to-markdown.ts';

export interface LaidOutPage {
  title: string;
  markdown: string;
}

/** A page with more nodes is not an article, and would take Readability seconds. */
const maxNodes = 50_000;
/** An article with less of the page's main part was not recognised correctly. */
const minShare = 1 / 3;

/**
 * The readable part of a page as markdown. It runs outside the service's own thread, because some pages take minutes.
 * Nothing is loaded, and no script is run.
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

/** A whole document as markdown: unlike a page, it has no navigation to leave out. */
export function layOutDocument(html: string): string {
  const page = tidyPage(html, undefined);
  return page ? toMarkdown(page.body) : pageText(html, Infinity);
}

/** Undefined for pages that are not an article, such as lists and search results. */
function findArticle(body: string): { title: string; text: string; content: HTMLElement } | undefined {
  const { document } = parseHTML(`<!doctype html><html><head></head><body>${body}</body></html>`);
  // Readability turns them into second-level headings, on a par with those below them.
  for (const heading of document.querySelectorAll('h1')) heading.setAttribute('data-level', '1');
  const article = new Readability<Node>(document, { serializer: (node) => node }).parse();
  const text = article?.textContent?.trim();
  if (!article?.content || !text) return undefined;
  return { title: article.title ?? '', text, content: article.content as HTMLElement };
}
