import { createChatStore } from '../client/create-chat-store.ts';
import type { MountPanel } from '../protocol.ts';
import type { StartVoice } from '../voice/protocol.ts';
import { renderPanel } from './render-panel.tsx';

/** The build puts the name of the file with calls here. */
declare const voiceFile: string;

export const mountPanel: MountPanel = (context) => {
  const { service, key } = context;
  const voice = `${service}/widget/${voiceFile}`;
  const loadVoice = () => import(voice) as Promise<{ startVoice: StartVoice }>;
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
