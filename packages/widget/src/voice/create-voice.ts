import type { ChatMessage } from '../client/chat-state.ts';
import type { CreateVoice } from './protocol.ts';
import { startCall, type VoiceCall } from './start-call.ts';

/** A call at its place in the conversation: so many messages came before it. */
type PlacedCall = VoiceCall & { after: number };

/** One call after the other. */
export const createVoice: CreateVoice = (context) => {
  const { store } = context;
  let { thread } = store.get();
  let calls: PlacedCall[] = [];

  const insert = (messages: readonly ChatMessage[], { after, lines }: PlacedCall) =>
    messages.toSpliced(after, 0, ...lines);
  const end = () => calls.at(-1)?.end();

  return {
    start() {
      if (calls.at(-1)?.mount) return;
      const after = store.get().messages.length;
      calls.push(Object.assign(startCall(context), { after }));
    },
    end,
    get mount() {
      return calls.at(-1)?.mount;
    },
    merge(state) {
      if (thread !== state.thread) {
        ({ thread } = state);
        end();
        calls = [];
      }
      return calls.reduceRight(insert, state.messages);
    },
  };
};
