import type { VoiceSession } from '@svc/contract/voice-sessions';
import { newMessage } from '../client/conversation.ts';
import { isRefused } from '../client/widget-api.ts';
import { type CallState, createBar } from './create-bar.ts';
import { openAudio } from './open-audio.ts';
import type { StartVoice, VoiceCall } from './protocol.ts';
import { styles } from './styles.ts';
import { englishVoiceTexts } from './texts.ts';

/** The build puts the name of the file for the audio thread here. */
declare const workletFile: string;

type Notice = {
  type: string;
  state: CallState;
  text: string;
  isFinal: boolean;
  reason: string;
  clears: number;
};

/** A call from the visitor's microphone. The microphone comes first: without it there is nothing to begin. */
export const startVoice: StartVoice = ({ root, service, key, texts: given, call, onChange }) => {
  const texts = { ...englishVoiceTexts, ...given };
  const ending = new AbortController();
  const { signal } = ending;
  const sheet = new CSSStyleSheet();
  let state: CallState = 'connecting';
  let isMuted = false;
  let notice: string | undefined = texts.voiceEnded;
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];

  const bar = createBar(texts, {
    onMute(value) {
      isMuted = value;
      draw();
    },
    onEnd: () => voice.end(),
  });
  const voice: VoiceCall = {
    mount(element) {
      element?.append(bar.element);
      bar.element.querySelector<HTMLElement>('.end')?.focus();
    },
    lines: [],
    notice: undefined,
    end() {
      if (signal.aborted) return;
      voice.mount = undefined;
      voice.notice = notice;
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
      ending.abort();
      onChange();
      root.querySelector<HTMLElement>('.talk')?.focus();
    },
  };
  const draw = () => bar.show(isMuted && state === 'listening' ? 'muted' : state);
  const fail = (text: string | undefined) => {
    notice = text;
    voice.end();
  };

  /** A line that is still being spoken is replaced. */
  function write(from: 'visitor' | 'bot', text: string, isDone: boolean, replaces: boolean): void {
    const kept = replaces ? voice.lines.slice(0, -1) : voice.lines;
    const id = `voice-${kept.length}`;
    voice.lines = text ? [...kept, newMessage(id, from, text, isDone ? 'done' : 'streaming')] : kept;
    onChange();
  }

  async function run(): Promise<void> {
    const audio = await openAudio(`${service}/widget/${workletFile}`, signal);
    const body = {};
    const response = await call('voice/sessions', { body, signal, idempotencyKey: crypto.randomUUID() });
    const session = (await response.json()) as VoiceSession;
    if (signal.aborted) return;
    const query = new URLSearchParams({ key, session_token: session.session_token });
    const socket = new WebSocket(`${service.replace(/^http/, 'ws')}/api/widget/voice/connect?${query}`);
    const endsAt = performance.now() + session.max_seconds * 1000;
    const tick = () => bar.showTime(Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)));
    const timer = setInterval(tick, 1000);
    tick();
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      if (socket.readyState === 1) socket.send('hang_up');
      socket.close();
    });
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      state = 'listening';
      draw();
      audio.onFrame(
        (frame) => socket.readyState === 1 && socket.send(frame),
        () => isMuted,
      );
    };
    socket.onclose = ({ code }) => fail(code === 1000 ? notice : texts.voiceFailed);
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data !== 'string') return audio.play(data);
      const message = JSON.parse(data) as Notice;
      const last = voice.lines.at(-1);
      if (message.type === 'clear') audio.clear(message.clears);
      if (message.type === 'state') {
        ({ state } = message);
        draw();
      }
      if (message.type === 'heard')
        write(
          'visitor',
          message.text,
          message.isFinal,
          last?.from === 'visitor' && last.state === 'streaming',
        );
      if (message.type === 'said') write('bot', message.text, true, false);
      if (message.type === 'cut') write('bot', message.text, true, last?.from === 'bot');
      if (message.type === 'ending') notice = explain(message.reason);
    };
  }

  function explain(reason: string): string | undefined {
    if (reason === 'max_duration') return texts.voiceTimeUp;
    if (reason === 'insufficient_balance') return texts['resting' as keyof typeof texts];
    return /_failed$|lost|stopped/.test(reason) ? texts.voiceFailed : texts.voiceEnded;
  }

  for (const name of ['pagehide', 'visibilitychange']) {
    const listen = name === 'pagehide' ? window : document;
    listen.addEventListener(name, () => (name === 'pagehide' || document.hidden) && voice.end(), { signal });
  }
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
  run().catch((error: unknown) => {
    if (signal.aborted) return;
    const { name } = error as Error;
    if (name === 'NotAllowedError') return fail(texts.voiceRefused);
    if (name === 'NotFoundError') return fail(texts.voiceMissing);
    const isResting = isRefused(error) && (error.status === 402 || error.status === 429);
    fail(isResting ? texts['resting' as keyof typeof texts] : texts.voiceFailed);
  });
  return voice;
};
