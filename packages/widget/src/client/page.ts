import type { VisitorDetails } from '@svc/contract/end-user-details';

/** What the store needs to know of the page it is on. */
export interface Page {
  isVisible(): boolean;
  isOnline(): boolean;
  /** Its address, without what may be secret, and its title. */
  place(): Pick<VisitorDetails, 'page_url' | 'page_title'>;
  /** Calls back when one of these has changed, or another tab has changed what is stored. Returns a function that ends it. */
  onChange(listener: () => void): () => void;
  nextFrame(callback: () => void): void;
}

export const browserPage: Page = {
  isVisible: () => !document.hidden,
  isOnline: () => navigator.onLine,
  place() {
    const { origin, pathname } = location;
    const address = origin + pathname;
    // As many characters as the service takes.
    if (!address.startsWith('http') || address.length > 2000) return {};
    // Not half of a character.
    const title = document.title.slice(0, 200).replace(/[\uD800-\uDBFF]$/, '');
    return { page_url: address, page_title: title };
  },
  onChange(listener) {
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener('visibilitychange', listener, { signal });
    for (const name of ['online', 'offline', 'storage', 'pageshow']) {
      addEventListener(name, listener, { signal });
    }
    return () => ending.abort();
  },
  // Hidden pages have no frames.
  nextFrame: (callback) => void (document.hidden ? setTimeout(callback) : requestAnimationFrame(callback)),
};
