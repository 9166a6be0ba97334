import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';

export interface LaidOutPage {
  title: string;
  markdown: string;
}

const mostElements = 20_000;
const unread =
  'title,meta,link,base,script,style,template,noscript,iframe,object,svg,nav,form,[hidden],[aria-hidden="true"]';

/**
 * The readable part of a page as markdown. It runs in a worker: some pages take minutes. Nothing is loaded and nothing
 * in the page is run. Pictures are left out: their addresses are a way to send things out when shown.
 */
export function layOutPage(html: string, address: string): LaidOutPage {
  const { document } = parseHTML(completeDocument(html));
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  completeLinks(document, address);
  for (const element of document.querySelectorAll(unread)) element.remove();
  const article = findArticle(document);
  const content = article?.content ?? document.body;
  return { title: title || (article?.title ?? ''), markdown: createTurndown().turndown(content) };
}

/** The parser takes what it gets: a page that leaves out `<html>` or `<body>`, as it may, would have none. */
function completeDocument(html: string): string {
  const content = html.replaceAll(/<(?:\/?(?:html|head|body)|!doctype)(?=[\s>])[^>]{0,4000}>/gi, '');
  return `<!doctype html><html><head></head><body>${content}</body></html>`;
}

/** Undefined for pages that are no article (lists, search results): then all of the body counts. */
function findArticle(document: Document): { title: string; content: HTMLElement } | undefined {
  const copy = document.cloneNode(true) as Document;
  if (copy.querySelectorAll('*').length > mostElements) return undefined;
  const article = new Readability<Node>(copy, { serializer: (node) => node }).parse();
  if (!article?.content || !article.textContent?.trim()) return undefined;
  return { title: article.title ?? '', content: article.content as HTMLElement };
}

function completeLinks(document: Document, address: string): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const url = URL.parse(link.getAttribute('href') ?? '', address);
    if (url && (url.protocol === 'http:' || url.protocol === 'https:')) link.setAttribute('href', url.href);
    else link.removeAttribute('href');
  }
}

function createTurndown(): TurndownService {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  turndown.addRule('pictures', {
    filter: ['img', 'picture', 'video', 'audio'],
    replacement: (_content, node) => node.getAttribute('alt')?.trim() ?? '',
  });
  turndown.addRule('cells', { filter: ['td', 'th'], replacement: (content) => `${content.trim()} | ` });
  turndown.addRule('rows', { filter: 'tr', replacement: (content) => `${content.trim()}\n` });
  return turndown;
}
