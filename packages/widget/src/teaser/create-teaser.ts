import type { ChatMessage } from '../client/chat-state.ts';
import type { CreateTeaser } from './protocol.ts';
import { styles } from './styles.ts';
import { englishTeaserTexts } from './texts.ts';

const cross = 'M6 6l12 12M18 6L6 18';
/** Three lines show fewer. */
const maxCharacters = 300;
/** Screen readers hear what changes in a region, not what it begins with. */
const announceMilliseconds = 200;

/** Shows the beginning of a message beside the launcher. It never takes the focus. */
export const createTeaser: CreateTeaser = (context, first) => {
  const { root } = context;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets.push(sheet);

  const element = create('div', 'teaser');
  const open = create('button', 'text');
  const author = create('span', 'author');
  const line = create('span', 'line');
  const dismiss = create('button', 'dismiss');
  const spoken = create('p', 'spoken');
  const icon = root.querySelector('.icon')?.cloneNode(true) as SVGElement;
  const known = new Set<string>();
  let previous = first;
  let news: ChatMessage | undefined;
  let shownId: string | undefined;
  icon.firstElementChild?.setAttribute('d', cross);
  author.dir = 'auto';
  line.dir = 'auto';
  spoken.role = 'status';
  dismiss.append(icon);
  open.append(author, line);
  element.append(open, dismiss);
  root.append(spoken);
  for (const { id } of first.messages) known.add(id);
  open.addEventListener('click', () => context.open());
  dismiss.addEventListener('click', putAway);
  element.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') putAway();
  });

  function putAway(): void {
    const hadFocus = element.contains(root.activeElement);
    hide();
    if (hadFocus) root.querySelector<HTMLElement>('.launcher')?.focus();
  }

  function hide(): void {
    news = undefined;
    shownId = undefined;
    element.remove();
    spoken.textContent = '';
  }

  function show({ id, author: name, text }: ChatMessage, team: string): void {
    shownId = id;
    author.textContent = name ?? team;
    line.textContent = plainText(root.getElementById(id), text);
    const heard = `${author.textContent}: ${line.textContent}`;
    setTimeout(() => {
      if (shownId === id) spoken.textContent = heard;
    }, announceMilliseconds);
    // Beside the launcher for the keyboard, too.
    root.querySelector('.launcher')?.after(element);
  }

  return (state, texts) => {
    // A history that was just read is not news.
    const isNew = previous.phase !== 'loading' && previous.thread === state.thread;
    for (const message of state.messages) {
      if (isNew && message.from === 'person' && !known.has(message.id)) news = message;
      known.add(message.id);
    }
    if (previous.thread !== state.thread) news = undefined;
    previous = state;
    if (!state.unread || !news) return hide();
    const panel = root.querySelector<HTMLElement>('.panel');
    const theme = panel?.classList.contains('dark') ? 'dark' : 'light';
    element.className = `teaser ${theme} ${(context.look?.position ?? 'bottom-right').replace('-', ' ')}`;
    element.dir = panel?.dir ?? '';
    element.lang = panel?.lang ?? '';
    element.style.setProperty('--shape', panel?.style.getPropertyValue('--shape') ?? '');
    dismiss.ariaLabel = { ...englishTeaserTexts, ...texts }.teaserClose;
    if (news.id !== shownId) show(news, texts.team);
  };
};

/** In one line, as the panel has drawn it, which knows what is markdown. */
function plainText(drawn: HTMLElement | null, text: string): string {
  const copy = drawn?.cloneNode(true) as HTMLElement | undefined;
  for (const note of copy?.querySelectorAll('.hidden') ?? []) note.remove();
  for (const block of copy?.querySelectorAll('p, h3, li, pre, td, th, br') ?? []) block.after(' ');
  const line = (copy?.textContent ?? text).replace(/\s+/g, ' ').trim();
  // Not half of a character.
  return line.length > maxCharacters
    ? `${line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`
    : line;
}

function create(name: 'button' | 'div' | 'p' | 'span', className: string): HTMLElement {
  return Object.assign(document.createElement(name), { className });
}
