import type { Branch } from '@svc/contract/branches';
import type { EndUserConversation } from '@svc/contract/end-users';
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
  /** Of the conversation. */
  branches?: Branch[];
  /** The service does what it is asked for. */
  works?: boolean;
  /** What the list of earlier conversations gets from the service: an error if it is left out. */
  history?: EndUserConversation[] | 'loading';
  /** A message that comes while the panel is closed. */
  arrives?: ChatMessage;
  /** Names of files that the visitor pastes. */
  pastes?: string[];
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
const lastOfPerson = message('person', 'Hello, this is Ada. A new one leaves today.', {
  author: 'Ada Lovelace',
  storedId: 'returned',
});
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
const ready = { phase: 'ready' as const, isKnown: true };

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
  takenOver: { state: { ...ready, messages: chat, isHandedOff: true, isTakenOver: true } },
  returned: {
    state: {
      ...ready,
      messages: [
        ...chat,
        message('visitor', 'The parcel is still not here.'),
        lastOfPerson,
        message('visitor', 'Thank you!'),
        message('bot', 'You are welcome.'),
      ],
      returnedAfter: 'returned',
    },
  },
  personTyping: {
    state: {
      ...ready,
      messages: [message('visitor', 'The parcel is still not here.'), person('Hello, this is Ada.')],
      typist: { name: 'Ada Lovelace' },
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

const closedText = 'We are not here right now. Leave a message, and we will answer on Monday from 9:00.';
const asking = { state: { canAsk: true }, look: { asks_details: true } };
scenes['ask'] = asking;
scenes['ask-closed'] = { ...asking, look: { ...asking.look, closed_text: closedText } };
scenes['ask-rtl'] = {
  ...asking,
  look: {
    ...asking.look,
    closed_text: 'نحن لسنا هنا الآن.',
    texts: { askIntro: 'من أنت؟', askName: 'الاسم', askEmail: 'البريد الإلكتروني', askContinue: 'متابعة' },
  },
  settings: { direction: 'rtl', language: 'ar' },
};
const mug = { id: 'mug', name: 'mug.png', media_type: 'image/png' as const, size: 70 };
const invoice = {
  id: 'invoice',
  name: 'Invoice for order 4711, with everything that was in the parcel.pdf',
  media_type: 'application/pdf' as const,
  size: 7,
};
const sending = {
  look: { attachments: true, voice: true },
  state: {
    ...ready,
    messages: [...chat, message('visitor', 'It arrived broken.', { attachments: [mug, invoice] })],
  },
  works: true,
};
scenes['files'] = { ...sending, pastes: ['receipt.pdf', 'uploading.pdf', invoice.name] };
scenes['files-refused'] = { ...sending, pastes: ['cat.gif.exe'] };
scenes['files-rtl'] = {
  ...sending,
  look: { ...sending.look, texts: arabicTexts },
  settings: { direction: 'rtl', language: 'ar' },
  pastes: ['فاتورة.pdf'],
};
scenes['closed'] = { look: { closed_text: closedText }, state: { ...ready, messages: chat } };

const stored = (of: ChatMessage, rating: ChatMessage['rating'] = null) => ({
  ...of,
  storedId: of.id,
  rating,
});
const branch = (id: string, first_message_id: string): Branch => ({
  id,
  first_message_id,
  after_message_id: answer.id,
  text: 'x',
  is_current: id === 'b2',
  created_at: minutesAgo(1),
});
const second = stored(message('visitor', 'And if it is damaged?'));
const exchanges = [
  stored(question),
  stored(answer, 'down'),
  second,
  stored(message('bot', 'Then we send you a **new one**, and you keep the old one.'), 'up'),
];
const acting = { state: { ...ready, messages: exchanges }, works: true };
scenes['actions'] = acting;
scenes['actions-branched'] = {
  ...acting,
  state: { ...acting.state, branched: 7 },
  branches: [branch('b1', 'elsewhere'), branch('b2', second.id)],
};
scenes['actions-long'] = {
  ...acting,
  state: {
    ...ready,
    messages: [...exchanges, stored(message('visitor', 'Tell me everything.')), stored(long)],
  },
};
scenes['actions-handed-off'] = { ...acting, state: { ...acting.state, isHandedOff: true } };
scenes['actions-rtl'] = {
  ...acting,
  state: {
    ...ready,
    branched: 7,
    messages: [stored(arabicQuestion), stored(arabicAnswer, 'down')],
  },
  branches: [branch('b1', 'elsewhere'), branch('b2', arabicQuestion.id)],
  look: { texts: { ...arabicTexts, answerAgain: 'أجب مرة أخرى', version: '{number} من {count}' } },
  settings: { direction: 'rtl', language: 'ar' },
};

let conversations = 0;
function conversation(
  title: string,
  minutes: number,
  more: Partial<EndUserConversation> = {},
): EndUserConversation {
  const date = minutesAgo(minutes);
  return {
    id: `c${++conversations}`,
    bot_id: 'bot',
    title,
    status: 'idle',
    needs_human: false,
    taken_over: false,
    created_at: date,
    last_message_at: date,
    ...more,
  };
}
const listing = {
  state: { ...ready, messages: chat, conversationId: 'c1' },
  press: ['.menu .tool', '.items button:last-child'],
};
const earlier = [
  conversation('Can I send headphones back after I opened the box?', 1),
  conversation('The parcel is still not here.', 60 * 5, { needs_human: true }),
  conversation('', 60 * 26, { needs_human: true, taken_over: true }),
  conversation('أين طلبي رقم 4711؟', 60 * 24 * 9),
  conversation(
    'I ordered two pairs of headphones last week, and one of them arrived with a scratch on its left…',
    60 * 24 * 40,
  ),
];
scenes['history'] = { ...listing, history: earlier };
scenes['history-long'] = {
  ...listing,
  history: Array.from({ length: 20 }, (_, index) => conversation(`Question ${index + 1}`, 60 * 30 * index)),
};
scenes['history-empty'] = { ...listing, state: { isKnown: true }, history: [] };
scenes['history-loading'] = { ...listing, history: 'loading' };
scenes['history-failed'] = listing;
scenes['history-rtl'] = {
  ...listing,
  history: earlier,
  look: {
    texts: { ...arabicTexts, history: 'المحادثات السابقة', historyUntitled: 'محادثة', team: 'الفريق' },
  },
  settings: { direction: 'rtl', language: 'ar' },
};

const waiting = {
  state: { ...ready, messages: [message('visitor', 'The parcel is still not here.')], isHandedOff: true },
};
const reply =
  'Hello, this is Ada. A **new one** leaves today:\n\n- You will get a mail with the [number](https://shop.example.com/parcels).\n- It arrives tomorrow, before noon, and you can keep the first one if it is found.';
scenes['teaser'] = { ...waiting, arrives: person(reply) };
scenes['teaser-short'] = { ...waiting, arrives: message('person', 'It has left.') };
scenes['teaser-top-left'] = { ...waiting, look: { position: 'top-left' }, arrives: person(reply) };
scenes['teaser-rtl'] = {
  ...waiting,
  look: { position: 'bottom-left', texts: { ...arabicTexts, team: 'الفريق', teaserClose: 'إغلاق المعاينة' } },
  settings: { direction: 'rtl', language: 'ar' },
  arrives: message('person', 'مرحبا، طلبك في الطريق إليك. سيصل غدًا قبل الساعة **14:00**.'),
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
