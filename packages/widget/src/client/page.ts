/** What the store needs to know of the page it is on. */
export interface Page {
  isVisible(): boolean;
  isOnline(): boolean;
  /** Calls back when one of these has changed, or another tab has changed what is stored. Returns a function that ends it. */
  onChange(listener: () => void): () => void;
  nextFrame(callback: () => void): void;
}

export const browserPage: Page = {
  isVisible: () => !document.hidden,
  isOnline: () => navigator.onLine,
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
