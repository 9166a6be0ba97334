/** The widget's own texts. Other languages come with the look and are translations of these keys. */
export const englishTexts = {
  close: 'Close chat',
  menu: 'More options',
  newConversation: 'New conversation',
  history: 'Earlier conversations',
  /** Name of the list of messages. */
  messages: 'Messages',
  /** Name of the field to write in. */
  yourMessage: 'Your message',
  send: 'Send',
  stop: 'Stop the answer',
  /** Name of the button that chooses files. */
  attach: 'Attach images or PDFs',
  /** Name of the button with the microphone. */
  talk: 'Talk',
  tryAgain: 'Try again',
  /** On a button that scrolls to the end. */
  newMessages: 'New messages',
  loading: 'Loading…',
  /** Read aloud before the visitor's own messages. */
  you: 'You',
  /** Shown above messages of a person who gave no name. */
  team: 'Team',
  typing: 'Typing…',
  /** A person of the team is writing. */
  personTyping: '{name} is typing…',
  lookingUp: 'Looking that up…',
  checking: 'Somebody is checking this. You can close the chat: the answer will be here.',
  handedOff: 'A person has been asked',
  /** A person has taken over without having been asked. */
  takenOver: 'You are now talking to a person',
  /** The person's part is over. */
  returned: 'The assistant is answering again',
  /** One line in the header, in place of the greeting. */
  personWillAnswer: 'A person will answer here.',
  offline: 'No connection. Your message is kept.',
  notSent: 'Not sent.',
  tooLong: 'Too long: at most {count} characters.',
  stopped: 'Stopped.',
  failed: 'The answer could not be finished.',
  outage: 'The chat cannot be reached right now.',
  /** `{when}` is "in 5 minutes" in the page's language. */
  rateLimited: 'Many people are writing. Please try again {when}.',
  resting: 'The assistant is resting right now.',
  expired: 'Your sign-in has expired. Please reload the page.',
  blocked: 'This chat is not available on this site.',
  /** Name of the button for `[1]`, followed by the title of the source. */
  source: 'Source {number}',
  openSource: 'Open source',
  /** Read aloud after links. */
  newTab: '(opens in a new tab)',
  poweredBy: 'Powered by svc',
};

export type TextKey = keyof typeof englishTexts;
export type Texts = Readonly<Record<TextKey, string>>;

/** English where a translation is missing. */
export function textsFrom(translations: Readonly<Record<string, string>> = {}): Texts {
  return { ...englishTexts, ...translations };
}

/** Puts a value in the place of the text's `{…}`. */
export function fill(text: string, value: string | number): string {
  // Not the value itself: what it has of `$` would mean something.
  return text.replace(/\{\w+\}/, () => String(value));
}
