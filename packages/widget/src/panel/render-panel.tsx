/** @jsxImportSource preact */
import { render } from 'preact';
import type { ChatStore } from '../client/chat-state.ts';
import type { PanelContext, PanelHandle } from '../protocol.ts';
import { Panel } from './panel.tsx';
import { textsFrom } from './texts.ts';

/** Draws the panel into the widget's shadow root, again after every change. */
export function renderPanel(context: PanelContext, store: ChatStore): PanelHandle {
  const container = document.createElement('div');
  context.root.append(container);
  let { look, problem } = context;
  let isOpen = false;

  const draw = () => {
    context.onUnread(store.get().unread);
    const texts = textsFrom(look?.texts);
    render(
      <Panel view={{ store, texts, look, problem, settings: context.settings, isOpen, close }} />,
      container,
    );
  };
  const setOpen = (value: boolean) => {
    if (isOpen === value) return;
    isOpen = value;
    store.setOpen(value);
    draw();
  };
  const close = () => {
    if (!isOpen) return;
    setOpen(false);
    context.onClosed();
  };

  store.subscribe(draw);
  draw();
  return {
    open: () => setOpen(true),
    close: () => setOpen(false),
    send: (text) => store.send(text),
    identify: (user) => store.identify(user),
    setLook(newLook, newProblem) {
      look = newLook;
      problem = newProblem;
      draw();
    },
  };
}
