import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked, type RendererObject, type Token } from 'marked';
import { escapeHtml } from '../../lib/escape-html.ts';

export interface Guide {
  /** Its file name without the extension. */
  name: string;
  /** Where it is shown. */
  url: string;
  title: string;
  /** Its first paragraph, as plain text. */
  description: string;
  /** Everything below its title, as HTML. */
  body: string;
  /** Its second-level headings. */
  sections: { id: string; title: string }[];
}

/** The address of each picture in `docs/images`, by the name of its file. */
type Pictures = ReadonlyMap<string, string>;

/** Renders a file of the `docs` folder. HTML in it is shown as text: the guides need none. */
export function renderGuide(path: string, source: string, pictures: Pictures): Guide {
  const slugger = new GithubSlugger();
  const sections: Guide['sections'] = [];
  const marked = new Marked({ renderer: createRenderer(path, slugger, sections, pictures) });
  const tokens = marked.lexer(source);
  const title = tokens.find((token) => token.type === 'heading' && token['depth'] === 1);
  const first = tokens.find((token) => token.type === 'paragraph');
  return {
    name: posix.basename(path, '.md'),
    url: addressOf(path) ?? '/docs',
    title: title ? plainText(title) : path,
    description: first ? plainText(first) : '',
    body: marked.parser(tokens.filter((token) => token !== title)),
    sections,
  };
}

function createRenderer(
  path: string,
  slugger: GithubSlugger,
  sections: Guide['sections'],
  pictures: Pictures,
): RendererObject {
  return {
    heading(token) {
      const title = plainText(token);
      const id = slugger.slug(title);
      if (token.depth === 2) sections.push({ id, title });
      const anchor = `<a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(title)}”">#</a>`;
      return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)} ${anchor}</h${token.depth}>\n`;
    },
    code({ text, lang }) {
      const label = lang ? ` data-language="${escapeHtml(lang)}"` : '';
      // Long lines scroll, so the block must be reachable by keyboard.
      return `<div class="code"${label}><pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
    },
    table(token) {
      const cells = (row: typeof token.header, name: 'th' | 'td') =>
        row
          .map(
            ({ tokens }) =>
              `<${name}${name === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(tokens)}</${name}>`,
          )
          .join('');
      const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
      return `<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead>\n<tbody>${rows}</tbody></table></div>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const target = resolveLink(path, href);
      return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
    },
    image({ href, text }) {
      const url = pictures.get(posix.basename(href));
      return url ? `<img class="picture" src="${url}" alt="${escapeHtml(text)}">` : escapeHtml(text);
    },
    html: ({ text }) => escapeHtml(text),
  };
}

/** Where a link in a file leads on these pages; undefined for files that are not shown here. */
function resolveLink(path: string, href: string): string | undefined {
  if (/^(https?:|mailto:)/.test(href)) return href;
  if (href.startsWith('#')) return href;
  const [file = '', fragment] = href.split('#');
  const address = addressOf(posix.join(posix.dirname(path), file));
  return address && `${address}${fragment ? `#${fragment}` : ''}`;
}

function addressOf(path: string): string | undefined {
  if (path === 'README.md') return '/docs';
  if (/^decisions\/?(?:README\.md)?$/.test(path)) return '/docs/decisions';
  const [, folder = '', name] = /^(decisions\/)?([\w-]+)\.md$/.exec(path) ?? [];
  return name && `/docs/${folder || 'guides/'}${name}`;
}

function plainText(token: Token): string {
  if ('tokens' in token && token.tokens) return token.tokens.map(plainText).join('');
  return 'text' in token ? String(token.text).replaceAll('\n', ' ') : token.raw;
}
