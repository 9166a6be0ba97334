import { createHost, hostName } from './create-host.ts';
import { createLauncher } from './create-launcher.ts';
import { createPageEvents } from './create-page-events.ts';
import { createPanelSlot } from './create-panel-slot.ts';
import { followLook } from './follow-look.ts';
import { offerApi } from './offer-api.ts';
import { readPageSettings } from './read-page-settings.ts';
import { warn } from './warn.ts';

/** The build puts the name of the panel's file here. */
declare const panelFile: string;

/** The widget of one page, as its script element describes it. */
export function startWidget(script: HTMLScriptElement): void {
  const { key = '', open: opensItself } = script.dataset;
  if (!key) return warn('data-key is missing.');
  if (document.querySelector(hostName)) return warn('this page has a widget already.');

  const service = new URL('.', script.src).href.slice(0, -1);
  const settings = readPageSettings(script);
  const { host, root } = createHost(settings.direction);
  const events = createPageEvents();
  const launcher = createLauncher(root, {
    onIntent: () => panel.load(),
    onPress: () => (launcher.isOpen() ? close() : open()),
  });
  const panel = createPanelSlot(`${service}/widget/${panelFile}`, {
    host,
    root,
    service,
    key,
    look: undefined,
    settings,
    problem: undefined,
    open,
    onClosed: () => setOpen(false, true),
    onUnread: launcher.setUnread,
    emit: events.emit,
  });

  function open(): void {
    if (launcher.isOpen()) return;
    setOpen(true, false);
    panel.use((handle) => handle.open());
  }

  function close(): void {
    if (!launcher.isOpen()) return;
    const hasFocus = root.activeElement !== null;
    panel.use((handle) => handle.close());
    setOpen(false, hasFocus);
  }

  function setOpen(isOpen: boolean, takesFocus: boolean): void {
    launcher.setOpen(isOpen);
    if (takesFocus) launcher.focus();
    events.emit(isOpen ? 'open' : 'close', undefined);
  }

  offerApi({
    open,
    close,
    send(text: unknown) {
      open();
      if (typeof text === 'string') panel.use((handle) => handle.send(text));
    },
    identify: (user) => panel.use((handle) => handle.identify(user)),
    on: events.on,
  });

  followLook({ service, key, language: settings.language, host }, (look, problem) => {
    if (problem === 'blocked') {
      warn(`not available here. Is ${location.host} in allowed_domains, and are the key and its bot active?`);
    }
    launcher.show(look);
    panel.setLook(look, problem);
    if (look) events.emit('ready', undefined);
  });
  if (opensItself !== undefined) open();
}
