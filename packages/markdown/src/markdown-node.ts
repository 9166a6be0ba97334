/** An element of a message, before it becomes one of the page. */
export interface MarkdownElement {
  tag:
    | 'p'
    | 'h3'
    | 'pre'
    | 'blockquote'
    | 'ul'
    | 'ol'
    | 'li'
    | 'hr'
    | 'br'
    | 'em'
    | 'strong'
    | 's'
    | 'code'
    | 'a'
    | 'table'
    | 'tr'
    | 'th'
    | 'td'
    | 'citation';
  children: MarkdownNode[];
  /** Of a link. */
  href?: string;
  /** Of a cell of a table; without it, as the text begins. */
  align?: 'center' | 'right' | undefined;
  /** Of a citation, or the first of an ordered list. */
  number?: number;
}

export type MarkdownNode = MarkdownElement | string;

export function element(tag: MarkdownElement['tag'], children: MarkdownNode[] = []): MarkdownElement {
  return { tag, children };
}
