import { createChatStore } from '../client/create-chat-store.ts';
import type { MountPanel } from '../protocol.ts';
import { renderPanel } from './render-panel.tsx';

export const mountPanel: MountPanel = (context) => {
  const { service, key } = context;
  return renderPanel(context, createChatStore({ service, key, storage: findStorage() }));
};

function findStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // The page or the visitor does not allow any.
    return undefined;
  }
}
