import { decodeEntities } from './decode-entities.ts';
import { safeHref } from './safe-href.ts';

export interface FoundLink {
  label: string;
  /** The label is text, not markdown. */
  isLiteral: boolean;
  /** Where the link leads, to be shown after the label if that says something else. */
  host?: string | undefined;
  /** The label does not say where the link leads, whatever it looks like. */
  isHidden?: boolean;
  /** Undefined if the address is not one to link to. */
  href: string | undefined;
  /** Where the text after the link starts. */
  end: number;
}

const maxLabel = 1_000;

const maxAddress = 2_000;
/** The label may contain brackets in pairs, as in `[[1]](…)` and `[![picture](…)](…)`. */
const labelled = /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(/s;
const maxParentheses = 8;

/** `[label](address)`, or the same after `!`: pictures become links, so that nothing is loaded from elsewhere. */
export function findLink(text: string, position: number, isGrowing: boolean): FoundLink | undefined {
  const isPicture = text[position] === '!';
  const start = isPicture ? position + 1 : position;
  const [match, found = ''] = labelled.exec(text.slice(start, start + maxLabel)) ?? [];
  // There is no link within a link: of two, the inner one counts.
  if (!match || /(?<!!)\[[^[\]]*\]\(/.test(found)) return undefined;
  const label = withoutOverrides(found);
  const addressStart = start + match.length;
  const rest = text.slice(addressStart, addressStart + maxAddress);
  const address = readAddress(rest);
  if (!address) {
    const isUnfinished = isGrowing && rest.length < maxAddress && !/^<.*\n|^[^<].*\s/s.test(rest);
    return isUnfinished ? { label, isLiteral: false, href: undefined, end: text.length } : undefined;
  }
  const href = safeHref(address.target);
  const end = addressStart + address.length;
  // Words in parentheses are not an address.
  if (!href && /^[^:]*\s[^:]*$/.test(address.target)) return undefined;
  if (!href) return { label: label || address.target, isLiteral: label === '', href, end };
  const isHidden = !label || isPicture || label.includes('![');
  return { label, isLiteral: false, href, end, host: hostOf(href), isHidden };
}

/** `https://…`, or the same within `<` and `>`. */
export function findAutolink(text: string, position: number): FoundLink | undefined {
  const isWrapped = text[position] === '<';
  const start = isWrapped ? position + 1 : position;
  const near = text.slice(start, start + maxAddress);
  const [match] = /^https?:\/\/[^\s<>"`|]+/i.exec(near) ?? [];
  if (!match || (isWrapped && near[match.length] !== '>')) return undefined;
  const label = isWrapped ? match : withoutPunctuation(match);
  const href = safeHref(label);
  if (!href) return undefined;
  const end = start + label.length + (isWrapped ? 1 : 0);
  const host = hostOf(href);
  // Letters of other alphabets may look like those of a known host.
  const isHidden = !label.toLowerCase().includes(host);
  return { label: withoutOverrides(label), isLiteral: true, href, end, host, isHidden };
}

/** Up to the parenthesis that ends it. A title is left out. Within `<` and `>` there may be parentheses. */
function readAddress(text: string): { target: string; length: number } | undefined {
  const [wrapped, within = ''] = /^<([^<>\n]*)>[^)\n]*\)/.exec(text) ?? [];
  if (wrapped) return { target: decodeEntities(within), length: wrapped.length };
  let depth = 0;
  for (let at = 0; at < text.length && depth <= maxParentheses; at += 1) {
    const character = text[at];
    if (character === '\n') return undefined;
    if (character === '(') depth += 1;
    if (character === ')' && depth-- === 0) {
      const target = decodeEntities(
        text
          .slice(0, at)
          .trim()
          .replace(/\s["'(].*["')]$/, ''),
      );
      return { target, length: at + 1 };
    }
  }
  return undefined;
}

function hostOf(href: string): string {
  const { host, pathname, search } = new URL(href);
  // A mail may have more recipients.
  return host || pathname + (/@|%40/.test(search) ? search : '');
}

/** A label such as `bank.example` or `help@bank.example`, as it is shown, on a link to somewhere else; for a telephone, every label but its number. */
export function namesOther(label: string, host: string, href = ''): boolean {
  if (href.startsWith('tel:')) return label.replace(/\D/g, '') !== host.replace(/[+().-]/g, '');
  const [, named] =
    /^[^\p{L}\p{N}-]*(?:https?:\/\/|mailto:)?((?:[\p{L}\p{N}][^\s@]{0,63}@)?[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})(?:[:/?#].*|[^\p{L}\p{N}]*)$/iu.exec(
      // Invisible characters do not make it another name.
      label.replace(/\p{Cf}/gu, ''),
    ) ?? [];
  return named !== undefined && bare(named) !== bare(host);
}

/** Without the characters that make text appear in another order. */
function withoutOverrides(label: string): string {
  return label.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\.|:\d+$/g, '');
}

function withoutPunctuation(address: string): string {
  // A parenthesis that was opened in the address belongs to it.
  let unopened = address.split(')').length - address.split('(').length;
  let end = address.length;
  while (/[.,;:!?'*_~)\]}]/.test(address[end - 1] ?? '')) {
    if (address[end - 1] === ')' && unopened-- <= 0) break;
    end -= 1;
  }
  return address.slice(0, end);
}
