import { load } from 'cheerio/slim';
import { nestingOf } from './nesting.ts';

export interface TidyPage {
  title: string;
  /** Everything that is shown, with absolute links. */
  body: string;
  /** What the page marks as its main part, or the body without headers, footers and sidebars. */
  main: string;
  nodes: number;
}

/** Conversion time grows with the square of the depth; ordinary pages stay below 50. */
const deepest = 400;

const unread =
  'title,meta,link,base,script,style,template,noscript,iframe,object,svg,canvas,nav,form,select,[hidden],[aria-hidden="true"]';
const around =
  'header,footer,aside,[role="banner"],[role="contentinfo"],[role="complementary"],[role="search"]';

/** Removes what is not read and makes links absolute. Undefined for a page that is nested too deeply. */
export function tidyPage(html: string, address: string | undefined): TidyPage | undefined {
  if (nestingOf(html, deepest) > deepest) return undefined;
  // With a single root: searches compare every root with all others.
  const $ = load(`<svc-page>${html}</svc-page>`);
  const title = $('title').first().text().replaceAll(/\s+/g, ' ').trim();
  $(unread).remove();
  for (const link of $('a[href]').toArray()) {
    const url = URL.parse(link.attribs['href'] ?? '', address);
    if (url && /^(https?|mailto):$/.test(url.protocol)) link.attribs['href'] = url.href;
    else delete link.attribs['href'];
  }
  const htmlOfBody = () => $($('body').length > 0 ? 'body' : 'svc-page').html() ?? '';
  const body = htmlOfBody();
  // Headers and footers of sections inside an article belong to it.
  $(around).not('article *').remove();
  const named = $('main,[role="main"]').first();
  const main = named.text().trim() === '' ? htmlOfBody() : (named.html() ?? '');
  return { title, body, main, nodes: countNodes($.root().toArray()) };
}

interface Node {
  children?: unknown;
}

function countNodes(roots: Node[]): number {
  let count = 0;
  for (let level = roots; level.length > 0; count += level.length) {
    level = level.flatMap((node) => (node.children ?? []) as Node[]);
  }
  return count;
}
