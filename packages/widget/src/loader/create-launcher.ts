import type { WidgetLook } from '@svc/contract/widget-visitor';
import { contrast } from '../panel/color.ts';

export interface Launcher {
  isOpen(): boolean;
  setOpen(isOpen: boolean): void;
  setUnread(count: number): void;
  /** Without a look it is neutral: the chat cannot be used right now. */
  show(look: WidgetLook | undefined): void;
  focus(): void;
}

interface LauncherEvents {
  /** The visitor is about to press it. */
  onIntent(): void;
  onPress(): void;
}

const neutral = '#52525b';
const white = '#ffffff';
const black = '#000000';
const bubble = 'M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5z';
const cross = 'M6 6l12 12M18 6L6 18';

/** The round button in the corner of the page. */
export function createLauncher(root: ShadowRoot, { onIntent, onPress }: LauncherEvents): Launcher {
  const button = document.createElement('button');
  const count = document.createElement('span');
  const picture = createElementNs('svg');
  const path = createElementNs('path');
  let texts: Record<string, string> = {};
  let open = false;
  let unread = 0;
  button.type = 'button';
  button.hidden = true;
  picture.setAttribute('viewBox', '0 0 24 24');
  for (const decoration of [picture, count]) decoration.setAttribute('aria-hidden', 'true');
  count.className = 'count';
  picture.append(path);
  button.append(picture, count);
  for (const name of ['pointerenter', 'pointerdown', 'focus']) button.addEventListener(name, onIntent);
  button.addEventListener('click', onPress);
  root.append(button);

  function update(): void {
    const name = open ? (texts['close'] ?? 'Close chat') : (texts['open'] ?? 'Open chat');
    const news = (texts['unread'] ?? 'Unread messages: {count}').replace('{count}', String(unread));
    const hasNews = unread > 0 && !open;
    button.ariaLabel = hasNews ? `${name}. ${news}` : name;
    button.ariaExpanded = String(open);
    count.textContent = hasNews ? (unread > 9 ? '9+' : String(unread)) : '';
    path.setAttribute('d', open ? cross : bubble);
  }

  return {
    isOpen: () => open,
    setOpen(isOpen) {
      open = isOpen;
      update();
    },
    setUnread(newCount) {
      unread = newCount;
      update();
    },
    show(look) {
      const fill = look?.theme_color ?? neutral;
      texts = look?.texts ?? {};
      button.className = `launcher ${(look?.position ?? 'bottom-right').replace('-', ' ')}`;
      button.style.setProperty('--fill', fill);
      button.style.setProperty('--ink', contrast(fill, white) > contrast(fill, black) ? white : black);
      button.hidden = false;
      update();
    },
    focus: () => button.focus(),
  };
}

function createElementNs(name: 'svg' | 'path'): SVGElement {
  return document.createElementNS('http://www.w3.org/2000/svg', name);
}
