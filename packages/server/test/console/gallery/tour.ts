import type { Desk } from '../support/console.ts';

export interface Tour {
  desk: Desk;
  /** Shows a page as a link inside of the console would, and waits until it is complete, unless it never will be. */
  visit(path: string, isEndless?: boolean): Promise<void>;
  /** Waits until the page is complete, for example after it got another size. */
  settle(): Promise<void>;
}

interface Router {
  navigate(to: { href: string }): Promise<void>;
}

/** By then a page shows what it shows while it waits. */
const endlessMs = 500;

/** Goes from page to page without loading the console again for each. */
export async function tourOf(desk: Desk): Promise<Tour> {
  const { page, workspaceId } = desk;
  const open = new Set<unknown>();
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  await desk.go('/');
  return {
    desk,
    async visit(path, isEndless = false) {
      await page.evaluate(
        // The console's router makes itself available to tools under this name.
        (href) => (window as unknown as Record<string, Router>)['__TSR_ROUTER__']?.navigate({ href }),
        `/w/${workspaceId}${path}`,
      );
      if (!isEndless) return settle();
      await page.waitForTimeout(endlessMs);
      await endAnimations();
    },
    settle,
  };

  async function settle(): Promise<void> {
    do await nextFrames();
    while (open.size > 0);
    await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
    await endAnimations();
  }

  function endAnimations(): Promise<void> {
    return page.evaluate(async () => {
      const repeats = ({ effect }: Animation) => effect?.getTiming().iterations === Infinity;
      const ending = document.getAnimations().filter((animation) => !repeats(animation));
      // One that was cancelled has ended, too.
      await Promise.allSettled(ending.map(({ finished }) => finished));
    });
  }

  /** What a page requests when it is first shown is requested by then. */
  function nextFrames(): Promise<void> {
    return page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }
}
