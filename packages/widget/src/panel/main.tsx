import { createChatStore } from '../client/create-chat-store.ts';
import type { MountPanel } from '../protocol.ts';
import { renderPanel } from './render-panel.tsx';

export const mountPanel: MountPanel = (context) =>
  renderPanel(context, createChatStore({ service: context.service, key: context.key }));
