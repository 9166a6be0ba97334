/** @jsxImportSource preact */
import { render } from 'preact';
import type { ShowActions } from '../actions/protocol.ts';
import { newMessage } from '../client/chat-message.ts';
import type { ChatMessage, ChatStore } from '../client/chat-state.ts';
import type { VisitorFiles } from '../files/protocol.ts';
import type { VisitorForm } from '../form/protocol.ts';
import type { VisitorHistory } from '../history/protocol.ts';
import type { PanelContext, PanelHandle } from '../protocol.ts';
import type { UpdateTeaser } from '../teaser/protocol.ts';
import type { Voice } from '../voice/protocol.ts';
import { Panel } from './panel.tsx';
import type { LoadPart } from './parts.ts';
import { styles } from './styles.ts';
import { tellPage } from './tell-page.ts';
import { textsFrom } from './texts.ts';

const maxFormMilliseconds = 4_000;

/** Draws the panel into the widget's shadow root, again after every change. */
export function renderPanel(context: PanelContext, store: ChatStore, load: LoadPart): PanelHandle {
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
  let form: VisitorForm | null | undefined;
  let isFormLoading = false;
  let actions: ShowActions | undefined;
  let areActionsLoading = false;
  let drawn = store.get();
  let { thread } = drawn;
  let files: Promise<VisitorFiles> | undefined;
  let loadedFiles: VisitorFiles | undefined;
  let history: VisitorHistory | undefined;
  let teaser: Promise<UpdateTeaser> | undefined;
  const tell = tellPage(context);

  const draw = () => {
    const before = drawn;
    drawn = store.get();
    // A listener of the page may draw.
    if (before !== drawn) tell(before, drawn);
    const stored = drawn;
    if (stored.thread !== thread) {
      // Perhaps of another person, who must not see what was typed.
      ({ thread } = stored);
      form = history = undefined;
      isFormLoading = false;
      loadedFiles?.take();
    }
    const messages = voice?.merge(stored) ?? stored.messages;
    const state = { ...stored, messages: [...messages, ...failures] };
    // Translations are chosen by the language alone, and what follows it on a page may not be a valid locale.
    const [code = ''] = settings.language.split(/[-_]/, 1);
    const language = look && Object.keys(look.texts).length > 0 ? code : 'en';
    const asks =
      isOpen &&
      // The office opens and closes while visitors type: what they have begun stays.
      (look?.asks_details || form?.isBegun()) &&
      stored.canAsk &&
      state.messages.length === 0;
    if (asks && !form && root.querySelector('textarea')?.value) form = null;
    if (asks && form !== null && !isFormLoading) void ask();
    const asked = asks ? form : null;
    // A greeting is not an answer.
    const isAnswered = stored.messages.some(
      ({ from, storedId }, index) => index && from === 'bot' && storedId,
    );
    if (isOpen && isAnswered && !areActionsLoading) void act();
    const view = {
      state,
      store,
      texts,
      language,
      look,
      problem,
      settings,
      isOpen,
      close,
      voice,
      form: asked,
      files: loadedFiles,
      useFiles,
      actions,
      talk,
      history,
      showHistory,
    };
    render(<Panel view={view} />, container);
    if (stored.unread) {
      teaser ??= load('teaser').then(({ createTeaser }) => createTeaser(context, before));
    }
    teaser?.then(
      (update) => update(stored, texts),
      // Without its script, the launcher still counts.
      () => undefined,
    );
  };
  const setOpen = (value: boolean) => {
    if (isOpen === value) return;
    isOpen = value;
    areActionsLoading = !!actions;
    history = undefined;
    voice?.end();
    store.setOpen(value);
    draw();
  };
  const close = () => {
    setOpen(false);
    context.onClosed();
  };

  const ask = async () => {
    isFormLoading = true;
    const asked = thread;
    const skip = () => {
      if (thread === asked) form ??= null;
      draw();
    };
    // A script that does not arrive keeps nobody from writing.
    const timer = setTimeout(skip, maxFormMilliseconds);
    try {
      const { createForm } = await load('form');
      if (thread !== asked || form === null) return;
      form = createForm({
        root,
        texts,
        onDone(details) {
          store.giveDetails(details);
          draw();
          root.querySelector('textarea')?.focus();
        },
      });
      draw();
    } catch {
      skip();
    } finally {
      clearTimeout(timer);
    }
  };

  const useFiles = (show: (files: VisitorFiles) => void) => {
    files ??= load('files').then(({ createFiles }) => {
      loadedFiles = createFiles({ root, texts, call: store.call, redraw: draw });
      draw();
      return loadedFiles;
    });
    // Its script did not arrive. The next press tries again.
    files.then(show, () => (files = undefined));
  };

  const act = async () => {
    areActionsLoading = true;
    try {
      const { createActions } = await load('actions');
      actions ??= createActions({ root, texts, store, redraw: draw });
      draw();
    } catch {
      // Its script did not arrive. The next opening of the panel tries again.
    }
  };

  const use = async (begin: () => Promise<void>) => {
    try {
      await begin();
      failures = [];
    } catch {
      // Its script did not arrive. The next press tries again.
      failures = [newMessage('outage', 'note', texts.outage, 'done')];
    }
    draw();
  };
  const talk = () =>
    use(async () => {
      const { createVoice } = await load('voice');
      voice ??= createVoice({ ...context, texts, store, redraw: draw });
      if (isOpen) voice.start();
    });
  const showHistory = () =>
    use(async () => {
      const { createHistory } = await load('history');
      history = createHistory({
        root,
        texts,
        store,
        onBack() {
          history = undefined;
          draw();
        },
      });
    });

  store.onChange(draw);
  draw();
  return {
    open: () => setOpen(true),
    close: () => setOpen(false),
    send: store.send,
    identify: store.identify,
    setLook(newLook, newProblem) {
      look = newLook;
      problem = newProblem;
      texts = textsFrom(look?.texts);
      draw();
    },
  };
}
