/** @jsxImportSource preact */
import { render } from 'preact';
import type { ChatState, ChatStore } from '../client/chat-state.ts';
import type { PanelContext, PanelHandle } from '../protocol.ts';
import type { StartVoice, VoiceCall } from '../voice/protocol.ts';
import { Panel } from './panel.tsx';
import { styles } from './styles.ts';
import { tellPage } from './tell-page.ts';
import { textsFrom } from './texts.ts';

/** Draws the panel into the widget's shadow root, again after every change. */
export function renderPanel(
  context: PanelContext,
  store: ChatStore,
  loadVoice: () => Promise<{ startVoice: StartVoice }>,
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
  let voice: Partial<VoiceCall> | undefined;
  /** How many messages there were before the call. */
  let spokenAfter = 0;
  const tell = tellPage(context, store.get());

  const draw = () => {
    const state = withLines(store.get());
    // Translations are chosen by the language alone, and what follows it on a page may not be a valid locale.
    const [code = ''] = settings.language.split(/[-_]/, 1);
    const language = look && Object.keys(look.texts).length > 0 ? code : 'en';
    const view = { state, store, texts, language, look, problem, settings, isOpen, close, voice, talk };
    render(<Panel view={view} />, container);
  };
  const setOpen = (value: boolean) => {
    if (isOpen === value) return;
    isOpen = value;
    voice?.end?.();
    store.setOpen(value);
    draw();
  };
  const close = () => {
    setOpen(false);
    context.onClosed();
  };

  const withLines = (state: ChatState): ChatState => {
    const { lines } = voice ?? {};
    return lines ? { ...state, messages: state.messages.toSpliced(spokenAfter, 0, ...lines) } : state;
  };
  const talk = () => {
    spokenAfter = store.get().messages.length;
    loadVoice()
      .then(
        ({ startVoice }) => {
          if (!voice?.mount) voice = startVoice({ ...context, texts, call: store.call, onChange: draw });
        },
        () => {
          voice = { notice: texts.outage };
        },
      )
      .then(draw);
  };

  store.subscribe(() => {
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
