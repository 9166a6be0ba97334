import type { VoiceSession } from '@svc/contract/voice-sessions';
import { newMessage } from '../client/chat-message.ts';
import type { ChatMessage } from '../client/chat-state.ts';
import { type CallState, createBar } from './create-bar.ts';
import { explainEnd, explainFailure } from './explain.ts';
import { openAudio } from './open-audio.ts';
import type { VoiceContext } from './protocol.ts';
import { styles } from './styles.ts';
import { englishVoiceTexts } from './texts.ts';

type Notice = {
  type: string;
  id: string;
  state: CallState;
  text: string;
  isFinal: boolean;
  reason: string;
  clears: number;
};

/** A call, or what is left of it. */
export interface VoiceCall {
  /** Undefined once it is over. */
  mount: ((element: HTMLElement | null) => void) | undefined;
  /** What was said, and in the end why it is over. */
  lines: readonly ChatMessage[];
  end(): void;
}

/** Three seconds of sound that the network does not take. */
const maxUnsentBytes = 100_000;

/** A call from the visitor's microphone. The microphone comes first: without it there is nothing to begin. */
export function startCall({ root, service, key, texts: given, store, redraw }: VoiceContext): VoiceCall {
  const texts = { ...englishVoiceTexts, ...given };
  const ending = new AbortController();
  const { signal } = ending;
  const sheet = new CSSStyleSheet();
  const name = crypto.randomUUID();
  const lines = new Map<string, ChatMessage>();
  let state: CallState = 'connecting';
  let isMuted = false;
  let turns = 0;
  let note = texts.voiceEnded;
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];

  const bar = createBar(root, texts, {
    onMute(value) {
      isMuted = value;
      draw();
    },
    onEnd: () => voice.end(),
  });
  const voice: VoiceCall = {
    mount(element) {
      element?.append(bar.element);
      element?.querySelector<HTMLElement>('.send')?.focus();
    },
    lines: [],
    end() {
      if (signal.aborted) return;
      const hadFocus = bar.element.contains(root.activeElement);
      voice.mount = undefined;
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
      ending.abort();
      write(name, 'note', note, 'done');
      if (hadFocus) root.querySelector<HTMLElement>('.talk')?.focus();
    },
  };
  const draw = () => bar.show(isMuted && state === 'listening' ? 'muted' : state);
  const fail = (text: string) => {
    note = text;
    voice.end();
  };

  /** What is heard is not also read out by screen readers, which leave alone what is still being written. */
  function write(
    id: string,
    from: ChatMessage['from'],
    text: string,
    how: ChatMessage['state'] = 'streaming',
  ) {
    if (text) lines.set(id, newMessage(id, from, text, how));
    else lines.delete(id);
    voice.lines = [...lines.values()];
    redraw();
  }

  async function run(): Promise<void> {
    const audio = await openAudio(signal, () => fail(texts.voiceMissing));
    const response = await store.call('voice/sessions', { body: {}, signal, idempotencyKey: name });
    const session = (await response.json()) as VoiceSession;
    if (signal.aborted) return;
    const query = new URLSearchParams({ key, session_token: session.session_token });
    const socket = new WebSocket(`${service.replace('http', 'ws')}/api/widget/voice/connect?${query}`);
    const endsAt = performance.now() + session.max_seconds * 1000;
    const tick = () => bar.showTime(Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)));
    const timer = setInterval(tick, 1000);
    const cutOff = () => fail(texts.voiceFailed);
    tick();
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      if (socket.readyState === 1) socket.send('hang_up');
      socket.close();
    });
    window.addEventListener('offline', cutOff, { signal });
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      state = 'listening';
      draw();
      audio.onFrame(
        (frame) => {
          // A connection that was lost is not reported for minutes.
          if (socket.bufferedAmount > maxUnsentBytes) cutOff();
          else if (socket.readyState === 1) socket.send(frame);
        },
        () => isMuted,
      );
    });
    socket.addEventListener('close', ({ code }) => (code === 1000 ? voice.end() : cutOff()));
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data !== 'string') return audio.play(data);
      const { type, id, text, ...notice } = JSON.parse(data) as Notice;
      if (type === 'clear') audio.clear(notice.clears);
      if (type === 'state') {
        ({ state } = notice);
        draw();
      }
      if (type === 'heard') {
        write(`${name}${turns}`, 'visitor', text);
        if (notice.isFinal) turns++;
      }
      if (type === 'said') write(id, 'bot', `${lines.get(id)?.text ?? ''} ${text}`.trim());
      if (type === 'cut') write(id, 'bot', text);
      if (type === 'ending') note = explainEnd(notice.reason, texts);
    });
  }

  window.addEventListener('pagehide', voice.end, { signal });
  root.addEventListener(
    'keydown',
    (event) => {
      if ((event as KeyboardEvent).key !== 'Escape') return;
      // It ends the call only.
      event.stopPropagation();
      voice.end();
    },
    { signal, capture: true },
  );
  draw();
  run().catch((error: unknown) =>
    fail(explainFailure(error, texts, root.querySelector<HTMLElement>('.panel')?.lang)),
  );
  return voice;
}
