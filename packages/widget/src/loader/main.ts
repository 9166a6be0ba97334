import { startWidget } from './start-widget.ts';

// A page that loads the file as a module has no current script.
const script = document.currentScript ?? document.querySelector('script[data-key]');
if (script) startWidget(script as HTMLScriptElement);
