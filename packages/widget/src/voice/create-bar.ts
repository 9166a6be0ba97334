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

const microphone = 'M9 6a3 3 0 0 1 6 0v5a3 3 0 0 1-6 0zM5 11a7 7 0 0 0 14 0M12 18v3M3 3l18 18';
const receiver = 'M3 15c5-6 13-6 18 0l-3 3-4-2v-2.500c-1.500-.5-2.500-.5-4 0V16l-4 2z';

/** What a call shows in place of the field: a ring and words for its state, the time left, and two buttons. */
export function createBar(texts: VoiceTexts, { onMute, onEnd }: BarEvents): Bar {
  const element = create('div', 'call');
  const state = create('span', 'state');
  const time = create('time', '');
  const mute = createButton('', texts.voiceMute, microphone);
  const end = createButton('end', texts.voiceHangUp, receiver);
  element.role = 'group';
  state.role = 'status';
  time.title = texts.voiceTimeLeft;
  mute.ariaPressed = 'false';
  mute.onclick = () => {
    mute.ariaPressed = String(mute.ariaPressed === 'false');
    onMute(mute.ariaPressed === 'true');
  };
  end.onclick = onEnd;
  element.append(create('span', 'ring'), state, time, mute, end);
  return {
    element,
    show(name) {
      const words = {
        connecting: texts.voiceConnecting,
        listening: texts.voiceListening,
        thinking: texts.voiceThinking,
        speaking: texts.voiceSpeaking,
        muted: texts.voiceMuted,
      };
      element.dataset['state'] = name;
      if (state.textContent !== words[name]) state.textContent = words[name];
    },
    showTime(seconds) {
      time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    },
  };
}

function create(name: string, className: string): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

function createButton(className: string, label: string, d: string): HTMLElement {
  const button = create('button', className);
  const [picture, path] = (['svg', 'path'] as const).map((name) =>
    document.createElementNS('http://www.w3.org/2000/svg', name),
  );
  button.ariaLabel = label;
  picture?.setAttribute('viewBox', '0 0 24 24');
  picture?.setAttribute('class', 'icon');
  path?.setAttribute('d', d);
  if (picture && path) picture.append(path);
  if (picture) button.append(picture);
  return button;
}
