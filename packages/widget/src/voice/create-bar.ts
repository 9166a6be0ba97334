import type { VoiceTexts } from './texts.ts';

export type CallState = 'connecting' | 'listening' | 'thinking' | 'speaking' | 'muted';

export interface Bar {
  element: HTMLElement;
  show(state: CallState): void;
  showTime(seconds: number): void;
}

interface BarEvents {
  onMute(isMuted: boolean): void;
  onEnd(): void;
}

const receiver = 'M3 15c5-6 13-6 18 0l-3 3-4-2v-2.500c-1.500-.5-2.500-.5-4 0V16l-4 2z';

/** What a call shows in place of the field: a ring and words for its state, the time left, and two buttons. */
export function createBar(root: ShadowRoot, texts: VoiceTexts, { onMute, onEnd }: BarEvents): Bar {
  const element = create('div');
  const state = create('span');
  const time = create('time');
  const ring = create('span');
  const mute = createButton('tool', texts.voiceMute, (path) => `${path}M3 3l18 18`);
  const end = createButton('send', texts.voiceHangUp, () => receiver);
  ring.className = 'ring';
  state.role = 'status';
  time.title = texts.voiceTimeLeft;
  mute.ariaPressed = 'false';
  mute.addEventListener('click', () => {
    const isMuted = mute.ariaPressed === 'false';
    mute.ariaPressed = `${isMuted}`;
    onMute(isMuted);
  });
  end.addEventListener('click', onEnd);
  element.append(ring, state, time, mute, end);

  /** With the icon of the microphone, whose lines can be replaced. */
  function createButton(className: string, label: string, draw: (path: string) => string): HTMLElement {
    const button = create('button');
    const icon = root.querySelector('.talk .icon')?.cloneNode(true) as SVGElement;
    const path = icon.firstElementChild;
    path?.setAttribute('d', draw(path.getAttribute('d') ?? ''));
    button.className = className;
    button.ariaLabel = label;
    button.append(icon);
    return button;
  }

  return {
    element,
    show(name) {
      const words = {
        connecting: texts.voiceConnecting,
        listening: texts.voiceListening,
        thinking: texts.voiceThinking,
        speaking: texts.voiceSpeaking,
        muted: texts.voiceMuted,
      }[name];
      element.className = `composer call ${name}`;
      // Screen readers read it again whenever it is set.
      if (state.textContent !== words) state.textContent = words;
    },
    showTime(seconds) {
      time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    },
  };
}

function create(name: string): HTMLElement {
  return document.createElement(name);
}
