import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { ChatState, ChatStore } from '../../src/client/chat-state.ts';
import { renderPanel } from '../../src/panel/render-panel.tsx';
import type { PageSettings, PanelHandle } from '../../src/protocol.ts';
import { createBar } from '../../src/voice/create-bar.ts';
import type { Voice, VoiceContext } from '../../src/voice/protocol.ts';
import { styles as voiceStyles } from '../../src/voice/styles.ts';
import { englishVoiceTexts } from '../../src/voice/texts.ts';
import { type Scene, scenes } from './scenes.ts';

const look: WidgetLook = {
  theme_color: '#4f46e5',
  position: 'bottom-right',
  title: 'Shop help',
  greeting_text: 'Hi! How can I help?',
  welcome_message: 'Hello! Ask me about **orders**, returns or our products.',
  placeholder_text: 'Type a message…',
  avatar_url: null,
  show_branding: true,
  voice: false,
  texts: {},
};

const emptyState: ChatState = {
  phase: 'empty',
  isOnline: true,
  messages: [],
  activity: 'none',
  isHandedOff: false,
  trouble: null,
  unread: 0,
  thread: {},
};

export type Theme = PageSettings['theme'];

/** What the tests see and do from outside of the page. */
export interface Stage {
  panel: PanelHandle;
  /** What the panel called, in order. */
  calls: string[];
  setState(changes: Partial<ChatState>): void;
}

/** Shows the panel in a state that no service has to be brought into. */
function show(name: string, theme: Theme): Stage {
  const scene: Scene = scenes[name] ?? {};
  document.querySelector('svc-widget')?.remove();
  const host = document.createElement('svc-widget');
  // The loader puts it beside the body, where axe cannot determine any contrast.
  document.body.append(host);
  const root = host.attachShadow({ mode: 'open' });
  const calls: string[] = [];
  const listeners = new Set<() => void>();
  let state = { ...emptyState, ...scene.state };
  const note = (method: string) => (argument?: unknown) =>
    void calls.push(argument === undefined ? method : `${method} ${JSON.stringify(argument)}`);
  const store: ChatStore = {
    get: () => state,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: note('send'),
    retry: note('retry'),
    stop: note('stop'),
    startNewConversation: note('startNewConversation'),
    identify: note('identify'),
    setOpen: note('setOpen'),
    call: () => Promise.reject(new Error('There is no service.')),
    close: note('close'),
  };
  const panel = renderPanel(
    {
      host,
      root,
      service: '',
      key: 'svc_gallery',
      look: scene.look === null ? undefined : { ...look, ...scene.look },
      settings: { theme, direction: 'ltr', language: 'en', ...scene.settings },
      problem: scene.problem,
      onClosed: note('onClosed'),
      onUnread: note('onUnread'),
      emit: (event, data) => void calls.push(`emit ${event} ${JSON.stringify(data)}`),
    },
    store,
    async () => ({ createVoice: (context) => createSceneVoice(scene, context) }),
  );
  panel.open();
  const field = root.querySelector('textarea');
  if (field && scene.draft) {
    field.value = scene.draft;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  for (const selector of scene.press ?? []) root.querySelector<HTMLElement>(selector)?.click();
  return {
    panel,
    calls,
    setState(changes) {
      state = { ...state, ...changes };
      for (const listener of listeners) listener();
    },
  };
}

/** A call in the state of the scene, with the controls of a real one. */
function createSceneVoice({ voice = {} }: Scene, { root, texts, redraw }: VoiceContext): Voice {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(voiceStyles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const bar = createBar(root, { ...englishVoiceTexts, ...texts }, { onMute: redraw, onEnd: redraw });
  bar.show(voice.state ?? 'connecting');
  if (voice.state) bar.showTime(862);
  const { lines = [], isOver } = voice;
  const mount = isOver ? undefined : (element: HTMLElement | null) => element?.append(bar.element);
  return { mount, merge: ({ messages }) => [...messages, ...lines], start: redraw, end: redraw };
}

// The gallery's page is not a secure one, on which there is no microphone.
if (!navigator.mediaDevices) Object.defineProperty(navigator, 'mediaDevices', { value: {} });
Object.assign(window, { show, scenes });
