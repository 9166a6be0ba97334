import type { WidgetLook } from '@svc/contract/widget-visitor';
import { createActions } from '../../src/actions/create-actions.ts';
import type { ChatState, ChatStore } from '../../src/client/chat-state.ts';
import { createFiles } from '../../src/files/create-files.ts';
import { createForm } from '../../src/form/create-form.ts';
import { createHistory } from '../../src/history/create-history.ts';
import { createLauncher } from '../../src/loader/create-launcher.ts';
import { styles as launcherStyles } from '../../src/loader/styles.ts';
import type { Parts } from '../../src/panel/parts.ts';
import { renderPanel } from '../../src/panel/render-panel.tsx';
import type { PageSettings, PanelHandle } from '../../src/protocol.ts';
import { createTeaser } from '../../src/teaser/create-teaser.ts';
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
  attachments: false,
  asks_details: false,
  closed_text: null,
  texts: {},
};

const picture = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="#7aa2c8"/><circle cx="160" cy="120" r="70" fill="#fff"/></svg>',
)}`;

const emptyState: ChatState = {
  phase: 'empty',
  isOnline: true,
  messages: [],
  activity: 'none',
  typist: null,
  isHandedOff: false,
  isTakenOver: false,
  returnedAfter: null,
  trouble: null,
  unread: 0,
  isKnown: false,
  canAsk: false,
  conversationId: 'c1',
  branched: 0,
  thread: {},
};

export type Theme = PageSettings['theme'];

/** What the tests see and do from outside of the page. */
export interface Stage {
  panel: PanelHandle;
  /** What the panel called, in order. */
  calls: string[];
  setState(changes: Partial<ChatState>): void;
  setLook(changes: Partial<WidgetLook>): void;
}

/** Shows the panel in a state that no service has to be brought into. */
function show(name: string, theme: Theme): Stage {
  const scene: Scene = scenes[name] ?? {};
  document.querySelector('svc-widget')?.remove();
  const host = document.createElement('svc-widget');
  // The loader puts it beside the body, where axe cannot determine any contrast.
  document.body.append(host);
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(launcherStyles);
  root.adoptedStyleSheets = [sheet];
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
    send: (...message) => note('send')(message[1] ? message : message[0]),
    retry: note('retry'),
    stop: note('stop'),
    // Every letter.
    noteTyping: () => undefined,
    startNewConversation: note('startNewConversation'),
    show: note('show'),
    giveDetails: note('giveDetails'),
    identify: note('identify'),
    setOpen: note('setOpen'),
    async call(path, { body }) {
      if (body) note(path)(body);
      if (path === 'attachments' || path.startsWith('attachments/')) return answerFiles(path, body);
      if (path.startsWith('branches?')) return Response.json(scene.branches);
      if (scene.history === 'loading') return new Promise(() => undefined);
      if (scene.history) return Response.json(scene.history);
      if (!scene.works) throw new Error('There is no service.');
      return Response.json({});
    },
    close: note('close'),
  };
  const parts: Parts = {
    voice: { createVoice: (context) => createSceneVoice(scene, context) },
    files: { createFiles },
    form: { createForm },
    actions: { createActions },
    history: { createHistory },
    teaser: { createTeaser },
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
      open: note('open'),
      onClosed: note('onClosed'),
      onUnread: note('onUnread'),
      emit: (event, data) => void calls.push(`emit ${event} ${JSON.stringify(data)}`),
    },
    store,
    async (part) => parts[part],
  );
  panel.open();
  const field = root.querySelector('textarea');
  if (field && scene.draft) {
    field.value = scene.draft;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  if (field && scene.pastes) {
    const clipboardData = new DataTransfer();
    for (const file of scene.pastes)
      clipboardData.items.add(
        new File(['x'], file, { type: file.endsWith('.pdf') ? 'application/pdf' : '' }),
      );
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }
  const press = ([selector, ...others]: string[]) => {
    if (!selector) return;
    root.querySelector<HTMLElement>(selector)?.click();
    // What the next one presses may have to be drawn first.
    requestAnimationFrame(() => press(others));
  };
  const setState = (changes: Partial<ChatState>) => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };
  press(scene.press ?? []);
  if (scene.arrives) {
    const launcher = createLauncher(root, { onIntent: () => undefined, onPress: note('onPress') });
    launcher.show({ ...look, ...scene.look });
    launcher.setUnread(1);
    panel.close();
    setState({ messages: [...state.messages, scene.arrives], unread: 1 });
  }
  return {
    panel,
    calls,
    setState,
    setLook: (changes) => panel.setLook({ ...look, ...scene.look, ...changes }, scene.problem),
  };
}

/** Uploads are taken, except one that lasts, and every file is a picture. */
async function answerFiles(path: string, body: object | undefined): Promise<Response> {
  const file = body instanceof FormData ? body.get('files') : null;
  if (!(file instanceof File)) return fetch(picture);
  if (file.name.startsWith('uploading')) return new Promise(() => undefined);
  return Response.json({ id: path, name: file.name, media_type: file.type, size: file.size });
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
