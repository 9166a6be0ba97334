import { load } from 'cheerio/slim';

export interface TidyPage {
  title: string;
  /** All that is shown, links complete. */
  body: string;
  /** What the page itself calls its main part, or the body without what stands around it. */
  main: string;
  nodes: number;
}

/** Time to make markdown of a page grows with the square of its depth; honest ones stay below 50. */
const deepest = 400;

const unread =
  'title,meta,link,base,script,style,template,noscript,iframe,object,svg,canvas,nav,form,select,[hidden],[aria-hidden="true"]';
const around =
  'header,footer,aside,[role="banner"],[role="contentinfo"],[role="complementary"],[role="search"]';

/** Leaves out what nobody reads and completes the links. Undefined for a page that is nested too deeply for that. */
export function tidyPage(html: string, address: string | undefined): TidyPage | undefined {
  const $ = load(html);
  const { nodes, depth } = measure($.root().toArray());
  if (depth > deepest) return undefined;
  const title = $('title').first().text().replaceAll(/\s+/g, ' ').trim();
  $(unread).remove();
  for (const link of $('a[href]').toArray()) {
    const url = URL.parse(link.attribs['href'] ?? '', address);
    if (url && /^(https?|mailto):$/.test(url.protocol)) link.attribs['href'] = url.href;
    else delete link.attribs['href'];
  }
  const htmlOfBody = () => ($('body').length > 0 ? $('body').html() : $.root().html()) ?? '';
  const body = htmlOfBody();
  // Headers and footers of sections inside an article belong to it.
  $(around).not('article *').remove();
  const named = $('main,[role="main"]').first();
  const main = named.text().trim() === '' ? htmlOfBody() : (named.html() ?? '');
  return { title, body, main, nodes };
}

interface Node {
  children?: unknown;
}

function measure(roots: Node[]): { nodes: number; depth: number } {
  let nodes = 0;
  let depth = 0;
  let level = roots;
  while (level.length > 0) {
    nodes += level.length;
    depth += 1;
    level = level.flatMap((node) => (node.children ?? []) as Node[]);
  }
  return { nodes, depth };
}
