import type { EndUserConversation } from '@svc/contract/end-users';
import type { CreateHistory } from './protocol.ts';
import { styles } from './styles.ts';
import { englishHistoryTexts } from './texts.ts';

const arrow = 'M19 12H5l6-6m-6 6l6 6';
const dateStyle = { dateStyle: 'medium', timeStyle: 'short' } as const;
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

/** Lists the visitor's conversations, each of which can be continued. */
export const createHistory: CreateHistory = (context) => {
  const { root, store, onBack } = context;
  const texts = { ...englishHistoryTexts, ...context.texts };
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);

  const element = create('section');
  const top = create('div', 'top');
  const goBack = create('button', 'tool');
  const title = create('h3', '', texts.history);
  const status = create('p', 'status');
  const again = create('button', 'link', texts.tryAgain);
  const items = create('ul');
  const icon = root.querySelector('.icon')?.cloneNode(true) as Element;
  let hasGoneBack = false;
  icon.setAttribute('class', 'icon');
  icon.firstElementChild?.setAttribute('d', arrow);
  title.tabIndex = -1;
  element.ariaLabel = texts.history;
  goBack.ariaLabel = texts.historyBack;
  goBack.append(icon);
  top.append(goBack, title);
  element.append(top, status, again, items);
  goBack.addEventListener('click', back);
  again.addEventListener('click', () => {
    // The button is about to disappear.
    title.focus();
    void read();
  });
  void read();

  async function read(): Promise<void> {
    again.hidden = true;
    status.role = 'status';
    status.textContent = texts.loading;
    try {
      const response = await store.call('conversations', { signal: AbortSignal.timeout(30_000) });
      const found = (await response.json()) as EndUserConversation[];
      found.sort((one, other) => (dateOf(one) < dateOf(other) ? 1 : -1));
      items.append(...found.map(itemOf));
      status.textContent = found.length > 0 ? '' : texts.historyEmpty;
    } catch {
      status.role = 'alert';
      status.textContent = texts.outage;
      again.hidden = false;
    }
  }

  function itemOf(conversation: EndUserConversation): HTMLElement {
    const { id, title: named, needs_human: needsHuman, taken_over: isTakenOver } = conversation;
    const language = root.querySelector<HTMLElement>('.panel')?.lang;
    const item = create('li');
    const button = create('button', 'item');
    const name = create('span', 'name', named || texts.historyUntitled);
    const note = create('span', 'note', new Date(dateOf(conversation)).toLocaleString(language, dateStyle));
    const isShown = id === store.get().conversationId;
    name.dir = 'auto';
    if (needsHuman) note.append(` · ${isTakenOver ? texts.takenOver : texts.handedOff}`);
    button.append(name, note);
    if (isShown) button.ariaCurrent = 'true';
    // Another one is shown in place of the list.
    button.addEventListener('click', () => (isShown ? back() : store.show(id)));
    item.append(button);
    return item;
  }

  function back(): void {
    hasGoneBack = true;
    onBack();
  }

  /** Unless something else has it by now than the menu, which may have ended the list. */
  function giveFocusBack(): void {
    const isTouched = matchMedia('(pointer: coarse)').matches;
    const target = hasGoneBack ? '.menu .tool' : isTouched ? '.panel' : 'div.composer textarea';
    if (root.activeElement?.matches('.menu .tool') ?? true) root.querySelector<HTMLElement>(target)?.focus();
  }

  return {
    back,
    mount(place) {
      if (place) {
        place.className = 'history';
        place.append(element);
        title.focus();
      } else if (root.activeElement?.closest('.history, .menu')) queueMicrotask(giveFocusBack);
    },
  };
};

function dateOf({ last_message_at: lastMessageAt, created_at: createdAt }: EndUserConversation): string {
  return lastMessageAt ?? createdAt;
}

function create<Name extends 'button' | 'div' | 'h3' | 'li' | 'p' | 'section' | 'span' | 'ul'>(
  name: Name,
  className = '',
  textContent = '',
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), { className, textContent });
}
