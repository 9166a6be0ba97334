import { startWidget } from './start-widget.ts';

const script = findScript();
if (script) startWidget(script);

function findScript(): HTMLScriptElement | undefined {
  const current = document.currentScript;
  if (current instanceof HTMLScriptElement) return current;
  // A page that loads the file as a module has no current script.
  return document.querySelector<HTMLScriptElement>('script[data-key][src*="/widget.js"]') ?? undefined;
}
