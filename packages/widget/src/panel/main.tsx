import { createChatStore } from '../client/create-chat-store.ts';
import type { MountPanel } from '../protocol.ts';
import type { LoadPart, Parts } from './parts.ts';
import { renderPanel } from './render-panel.tsx';

/** The build puts the names of the files here. */
declare const partFiles: Record<keyof Parts, string>;

export const mountPanel: MountPanel = (context) => {
  const { service, key } = context;
  let attempts = 0;
  const load: LoadPart = (name) => {
    const address = `${service}/widget/${partFiles[name]}`;
    // Browsers remember that an address could not be imported, so after that each attempt has its own.
    const part = import(attempts ? `${address}?${attempts}` : address);
    part.catch(() => (attempts += 1));
    return part;
  };
  const store = createChatStore({ service, key, storage: findStorage() });
  return renderPanel(context, store, load);
};

function findStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // The page or the visitor does not allow any.
    return undefined;
  }
}
