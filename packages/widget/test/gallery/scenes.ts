import type { WidgetLook } from '@svc/contract/widget-visitor';
import type { ChatMessage, ChatState } from '../../src/client/chat-state.ts';
import type { PageSettings, Problem } from '../../src/protocol.ts';
import type { CallState } from '../../src/voice/create-bar.ts';
import { englishVoiceTexts } from '../../src/voice/texts.ts';

/** One picture of the panel. */
export interface Scene {
  state?: Partial<ChatState>;
  look?: Partial<WidgetLook> | null;
  settings?: Partial<PageSettings>;
  problem?: Problem;
  /** What a call shows once its button is pressed. */
  voice?: { state?: CallState; lines?: ChatMessage[]; isOver?: boolean };
  /** What the visitor has typed. */
  draft?: string;
  /** Pressed one after the other. */
  press?: string[];
}

let count = 0;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

function message(from: ChatMessage['from'], text: string, more: Partial<ChatMessage> = {}): ChatMessage {
  const id = `m${++count}`;
  return { id, from, text, state: 'done', citations: [], author: null, createdAt: minutesAgo(1), ...more };
}

const question = message('visitor', 'Can I send headphones back after I opened the box?');
const answer = message(
  'bot',
  'Yes, within **30 days** if nothing is damaged [1].\n\n1. Print the label from your [order page](https://shop.example.com/orders).\n2. Put everything back into the box.\n3. Drop it off at any post office.\n\nThe refund arrives about five days later [2].',
  {
    citations: [
      {
        title: 'Returns.pdf',
        sourceUrl: 'https://shop.example.com/returns',
        quote: 'Opened goods may be sent back within 30 days if they show no damage.',
      },
      { title: 'Payments', sourceUrl: null, quote: 'Refunds take three to five working days.' },
    ],
  },
);
const person = (text: string) => message('person', text, { author: 'Ada Lovelace' });
const rich = message(
  'bot',
  '### Compared\n\n| Model | Price | Battery | Weight | In stock |\n| --- | --- | --- | --- | --- |\n| Aria 2 | $129 | 30 hours | 210 g | yes |\n| Aria 2 Pro | $199 | 42 hours | 235 g | from Monday |\n\nTo read it from your own program use `find_order`:\n\n```\nGET /orders/4711?fields=state,place,expected_delivery\n```\n\n> Prices include tax.\n\n- A very long word: Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft\n- <b>not bold</b> and ![a picture](https://pictures.example.com/cat.png)',
);
const long = message(
  'bot',
  Array.from(
    { length: 14 },
    (_, index) => `Paragraph ${index + 1} of an answer that is much longer than the panel is high.`,
  ).join('\n\n'),
);
const arabicQuestion = message('visitor', 'أين طلبي رقم 4711؟', { createdAt: minutesAgo(60 * 30) });
const arabicAnswer = message(
  'bot',
  'طلبك في الطريق إليك. سيصل غدًا قبل الساعة **14:00** [1].\n\n- رقم التتبع: `JD0146`\n- شركة الشحن: DHL',
  {
    citations: [{ title: 'الشحن', sourceUrl: null, quote: 'تصل الطلبات خلال يومين.' }],
  },
);
const arabicTexts = {
  yourMessage: 'رسالتك',
  handedOff: 'تم استدعاء أحد الموظفين',
  personWillAnswer: 'سيجيبك أحد موظفينا هنا.',
  poweredBy: 'يعمل بواسطة svc',
  close: 'إغلاق المحادثة',
};

const picture = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const chat = [question, answer];
const ready = { phase: 'ready' as const };

export const scenes: Record<string, Scene> = {
  greeting: {},
  avatar: { look: { avatar_url: picture } },
  'avatar-broken': { look: { avatar_url: 'data:image/png,broken' } },
  'greeting-plain': { look: { welcome_message: null, show_branding: false } },
  draft: {
    draft:
      'I ordered two pairs of headphones last week.\nOne of them arrived with a scratch on the left side.\nWhat can I do?',
  },
  loading: { state: { phase: 'loading' } },
  sending: { state: { messages: [{ ...question, state: 'sending' }] } },
  streaming: {
    state: {
      ...ready,
      messages: [question, { ...answer, text: answer.text.slice(0, 118), citations: [], state: 'streaming' }],
      activity: 'typing',
    },
  },
  looking: { state: { ...ready, messages: [question], activity: 'looking' } },
  checking: { state: { ...ready, messages: [question], activity: 'checking' } },
  answered: { state: { ...ready, messages: chat } },
  citation: { state: { ...ready, messages: chat }, press: ['.citation'] },
  menu: { state: { ...ready, messages: chat }, press: ['.menu .tool'] },
  rich: { state: { ...ready, messages: [message('visitor', 'Compare them.'), rich] } },
  long: { state: { ...ready, messages: [...chat, message('visitor', 'Tell me everything.'), long] } },
  stopped: {
    state: {
      ...ready,
      messages: [question, { ...answer, text: 'Yes, within **30 days** if', state: 'interrupted' }],
    },
  },
  handedOff: {
    state: {
      ...ready,
      messages: [
        ...chat,
        message('visitor', 'I want to talk to a person.'),
        message('bot', 'Of course. I have asked somebody.'),
      ],
      isHandedOff: true,
    },
  },
  person: {
    state: {
      ...ready,
      messages: [
        message('visitor', 'I want to talk to a person.', { createdAt: minutesAgo(60 * 30) }),
        message('bot', 'Of course. I have asked somebody.', { createdAt: minutesAgo(60 * 30) }),
        message('visitor', 'The parcel is still not here.'),
        person('Hello, this is Ada. I am sorry about that.'),
        person('A new one leaves **today**. You will get a mail with the number.'),
        message('person', 'It has left.'),
        message('visitor', 'Thank you!'),
      ],
      isHandedOff: true,
    },
  },
  offline: { state: { ...ready, messages: chat, isOnline: false }, draft: 'And what if' },
  unsent: {
    state: {
      ...ready,
      messages: [...chat, message('visitor', 'And what if it is damaged?', { state: 'failed' })],
    },
  },
  failed: { state: { ...ready, messages: [question], trouble: { kind: 'failed' } } },
  outage: {
    state: { ...ready, messages: [{ ...question, state: 'failed' }], trouble: { kind: 'outage' } },
  },
  rateLimited: {
    state: {
      ...ready,
      messages: [{ ...question, state: 'failed' }],
      trouble: {
        kind: 'rate_limited',
        // Counted from when it is looked at.
        get retryAt() {
          return Date.now() + 290_000;
        },
      },
    },
  },
  resting: {
    state: { ...ready, messages: [{ ...question, state: 'failed' }], trouble: { kind: 'resting' } },
  },
  expired: {
    state: { ...ready, messages: [{ ...question, state: 'failed' }], trouble: { kind: 'expired' } },
  },
  blocked: { look: null, problem: 'blocked' },
  unreachable: { look: null, problem: 'outage' },
  longNames: {
    look: {
      title: 'The customer service of Donaudampfschifffahrt & Sons Ltd.',
      greeting_text: 'We usually answer within a few minutes, seven days a week, on holidays too.',
      placeholder_text: 'Ask anything about orders, returns, invoices or your account…',
    },
  },
  rtl: {
    state: { ...ready, messages: [arabicQuestion, arabicAnswer, person('Hello! مرحبا')], isHandedOff: true },
    look: {
      title: 'Shop help',
      greeting_text: 'كيف يمكنني مساعدتك؟',
      welcome_message: 'أهلًا بك!',
      placeholder_text: 'اكتب رسالة…',
      texts: arabicTexts,
    },
    // Not a valid locale, as pages have it.
    settings: { direction: 'rtl', language: 'ar_EG' },
    press: ['.citation'],
  },
};

const spoken = [
  message('visitor', 'Where is my parcel?'),
  message('bot', 'It left our warehouse this morning and arrives tomorrow, before noon.'),
];
const calling = { look: { voice: true }, press: ['.talk'] };
scenes['voice-offered'] = { look: { voice: true }, draft: 'And if' };
scenes['voice-connecting'] = { ...calling, voice: {} };
for (const state of ['listening', 'thinking', 'speaking', 'muted'] as const)
  scenes[`voice-${state}`] = { ...calling, voice: { state, lines: spoken } };
scenes['voice-half-heard'] = {
  ...calling,
  voice: { state: 'listening', lines: [...spoken, message('visitor', 'And can I', { state: 'streaming' })] },
};
for (const name of ['Refused', 'Missing', 'Elsewhere', 'TimeUp', 'Ended', 'Failed'] as const)
  scenes[`voice-${name}`] = {
    ...calling,
    voice: { lines: [...spoken, message('note', englishVoiceTexts[`voice${name}`])], isOver: true },
  };
scenes['voice-rtl'] = {
  look: { voice: true, texts: { voiceSpeaking: 'أتحدّث', voiceMute: 'إغلاق الميكروفون' } },
  settings: { direction: 'rtl', language: 'ar' },
  press: ['.talk'],
  voice: { state: 'speaking', lines: [arabicQuestion] },
};

/** Colors that are hard to use, on a conversation that shows all of their uses. */
for (const color of ['#ffffff', '#ffff00', '#000000', '#17191c', '#808080']) {
  scenes[`color-${color.slice(1)}`] = {
    look: { theme_color: color },
    state: { ...ready, messages: chat },
    press: ['.citation'],
    draft: 'And if',
  };
}
