import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { startBrowser, type WatchedPage } from '../../../server/test/support/browser.ts';
import type { Stage, Theme } from './page.tsx';
import type { scenes } from './scenes.ts';

export const sizes = { desktop: { width: 480, height: 748 }, phone: { width: 360, height: 740 } };

/** A page that shows the panel in any of the scenes, without a service. */
export interface Gallery extends Pick<WatchedPage, 'page' | 'complaints'> {
  names: string[];
  show(name: string, theme?: Theme): Promise<void>;
  close(): Promise<void>;
}

declare global {
  interface Window {
    show(scene: string, theme: Theme): Stage;
    scenes: typeof scenes;
    stage: Stage;
  }
}

export async function openGallery(): Promise<Gallery> {
  const script = await bundlePage();
  const browser = await startBrowser();
  const { page, complaints } = await browser.open();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize(sizes.desktop);
  await page.setContent(
    '<!doctype html><html lang="en"><title>Gallery</title><body style="margin: 0; background: #cfd6dd"><main><h1 style="margin: 0; font: 16px sans-serif">Shop</h1><button>Of the page</button></main>',
  );
  await page.evaluate(script);
  return {
    page,
    complaints,
    names: await page.evaluate(() => Object.keys(window.scenes)),
    show: (name, theme = 'light') => show(page, name, theme),
    close: () => browser.close(),
  };
}

async function show(page: Page, name: string, theme: Theme): Promise<void> {
  await page.evaluate(
    ([scene, chosen]) => {
      window.stage = window.show(scene, chosen);
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    },
    [name, theme] as const,
  );
}

async function bundlePage(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, 'page.tsx'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}
