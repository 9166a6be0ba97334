import { createChatStore } from '../client/create-chat-store.ts';
import type { MountPanel } from '../protocol.ts';
import type { CreateVoice } from '../voice/protocol.ts';
import { renderPanel } from './render-panel.tsx';

/** The build puts the name of the file with calls here. */
declare const voiceFile: string;

export const mountPanel: MountPanel = (context) => {
  const { service, key } = context;
  let attempts = 0;
  // Browsers remember that an address could not be imported, so each attempt has its own.
  const loadVoice = (): Promise<{ createVoice: CreateVoice }> => {
    const voice = `${service}/widget/${voiceFile}?${attempts++}`;
    return import(voice);
  };
  return renderPanel(context, createChatStore({ service, key, storage: findStorage() }), loadVoice);
};

function findStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // The page or the visitor does not allow any.
    return undefined;
  }
}
