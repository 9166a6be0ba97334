/** @jsxImportSource preact */
import { render } from 'preact';
import { newMessage } from '../client/chat-message.ts';
import type { ChatMessage, ChatStore } from '../client/chat-state.ts';
import type { PanelContext, PanelHandle } from '../protocol.ts';
import type { CreateVoice, Voice } from '../voice/protocol.ts';
import { Panel } from './panel.tsx';
import { styles } from './styles.ts';
import { tellPage } from './tell-page.ts';
import { textsFrom } from './texts.ts';

/** Draws the panel into the widget's shadow root, again after every change. */
export function renderPanel(
  context: PanelContext,
  store: ChatStore,
  loadVoice: () => Promise<{ createVoice: CreateVoice }>,
): PanelHandle {
  const { root, settings } = context;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const container = document.createElement('div');
  root.append(container);

  let { look, problem } = context;
  let texts = textsFrom(look?.texts);
  let isOpen = false;
  let voice: Voice | undefined;
  let failures: ChatMessage[] = [];
  const tell = tellPage(context, store.get());

  const draw = () => {
    const stored = store.get();
    const messages = voice?.merge(stored) ?? stored.messages;
    const state = { ...stored, messages: [...messages, ...failures] };
    // Translations are chosen by the language alone, and what follows it on a page may not be a valid locale.
    const [code = ''] = settings.language.split(/[-_]/, 1);
    const language = look && Object.keys(look.texts).length > 0 ? code : 'en';
    const view = { state, store, texts, language, look, problem, settings, isOpen, close, voice, talk };
    render(<Panel view={view} />, container);
  };
  const setOpen = (value: boolean) => {
    if (isOpen === value) return;
    isOpen = value;
    voice?.end();
    store.setOpen(value);
    draw();
  };
  const close = () => {
    setOpen(false);
    context.onClosed();
  };

  const talk = async () => {
    try {
      const { createVoice } = await loadVoice();
      failures = [];
      voice ??= createVoice({ ...context, texts, store, redraw: draw });
      if (isOpen) voice.start();
    } catch {
      // Its script did not arrive. The next press tries again.
      failures = [newMessage('outage', 'note', texts.outage, 'done')];
    }
    draw();
  };

  store.onChange(() => {
    tell(store.get());
    draw();
  });
  draw();
  return {
    open: () => setOpen(true),
    close: () => setOpen(false),
    send: (text) => store.send(text),
    identify: (user) => store.identify(user),
    setLook(newLook, newProblem) {
      look = newLook;
      problem = newProblem;
      texts = textsFrom(look?.texts);
      draw();
    },
  };
}
