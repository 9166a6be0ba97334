import type { WidgetLook } from '@svc/contract/widget-visitor';
import * as english from './texts.ts';

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
const bubble = 'M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5z';
const cross = 'M6 6l12 12M18 6L6 18';

/** The round button in the corner of the page. */
export function createLauncher(root: ShadowRoot, { onIntent, onPress }: LauncherEvents): Launcher {
  const button = document.createElement('button');
  const { style } = button;
  const count = document.createElement('span');
  const picture = createElementNs('svg');
  const path = createElementNs('path');
  let texts: Record<string, string> = {};
  let open = false;
  let unread = 0;
  button.type = 'button';
  button.className = 'launcher';
  picture.setAttribute('viewBox', '0 0 24 24');
  count.className = 'count';
  picture.append(path);
  button.append(picture, count);
  for (const name of ['pointerenter', 'focus']) button.addEventListener(name, onIntent);
  button.addEventListener('click', onPress);

  function update(): void {
    const name = open ? (texts['close'] ?? english.close) : (texts['open'] ?? english.open);
    const news = (texts['unread'] ?? english.unread).replace('{count}', `${unread}`);
    const hasNews = unread > 0 && !open;
    button.ariaLabel = hasNews ? `${name}. ${news}` : name;
    button.ariaExpanded = `${open}`;
    count.textContent = hasNews ? (unread > 9 ? '9+' : `${unread}`) : '';
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
      for (const side of ['top', 'bottom', 'left', 'right']) {
        const isAnchor = (look?.position ?? 'bottom-right').includes(side);
        style.setProperty(side, isAnchor ? `calc(20px + env(safe-area-inset-${side}))` : 'auto');
      }
      style.background = fill;
      style.color = inkOn(fill);
      update();
      if (!button.isConnected) root.prepend(button);
    },
    focus: () => button.focus(),
  };
}

function createElementNs(name: 'svg' | 'path'): SVGElement {
  return document.createElementNS('http://www.w3.org/2000/svg', name);
}

/** Black or white, whichever contrasts more with the color. The panel computes it exactly; a picture does not need that. */
function inkOn(color: string): string {
  const luminance = [0.21, 0.72, 0.07].reduce(
    (sum, share, index) =>
      sum + share * (Number(`0x${color.slice(1 + index * 2, 3 + index * 2)}`) / 255) ** 2.2,
    0,
  );
  return luminance > 0.18 ? '#000' : '#fff';
}
