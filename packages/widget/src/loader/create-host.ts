import { styles } from './styles.ts';

export const hostName = 'svc-widget';

/** Beats every rule of the page, `!important` ones included. */
const ownStyle = {
  all: 'initial',
  position: 'fixed',
  inset: '0 auto auto 0',
  display: 'block',
  // For browsers without popovers, which have no top layer.
  'z-index': '2147483647',
};

/** Typing in the widget must not trigger the page's shortcuts or be taken for input of its own. */
const keptEvents = ['onkeydown', 'onkeypress', 'onkeyup', 'oninput', 'onpaste'] as const;

/** Frameworks that render the whole document remove what they do not know. More often than this, the page means it. */
const maxReturns = 5;

/** The element that the widget lives in: beside the body, in the top layer, out of reach of the page's styles. */
export function createHost(direction: string): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement(hostName);
  const root = host.attachShadow({ mode: 'open' });
  for (const [name, value] of Object.entries({ ...ownStyle, direction })) {
    host.style.setProperty(name, value, 'important');
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  for (const name of keptEvents) host[name] = (event: Event) => event.stopPropagation();
  host.popover = 'manual';
  let returns = 0;
  const observer = new MutationObserver(() => {
    // A page that rewrites itself ends all listeners, and brings a widget of its own.
    if (host.oninput && !host.isConnected && returns++ < maxReturns) attach();
  });
  function attach(): void {
    const page = document.documentElement;
    page.append(host);
    host.showPopover?.();
    // Some frameworks replace the html element itself.
    for (const node of [document, page]) observer.observe(node, { childList: true });
  }
  attach();
  return { host, root };
}
