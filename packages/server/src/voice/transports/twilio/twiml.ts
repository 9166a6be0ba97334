/** What a line is told about its call, in the parameters of its stream. */
export interface StreamParameters {
  call_id: string;
  token: string;
  /** Our number. */
  number: string;
  max_seconds: string;
  direction: 'inbound' | 'outbound';
  /** `true`: the caller comes back from a transfer, so there is a line already. */
  returns?: string;
}

/** Connects the call with our WebSocket. When that closes, the call is hung up. */
export function connectTwiml(url: string, parameters: StreamParameters): string {
  const inside = Object.entries(parameters).map(
    ([name, value]) => `<Parameter name="${name}" value="${escapeXml(value)}"/>`,
  );
  const stream = `<Stream url="${escapeXml(url)}">${inside.join('')}</Stream>`;
  return response(`<Connect>${stream}</Connect><Hangup/>`);
}

export function rejectTwiml(reason: 'busy' | 'rejected'): string {
  return response(`<Reject reason="${reason}"/>`);
}

export interface DialedNumber {
  callerId: string;
  to: string;
  /** Is told when the call is answered, and asked what to do when the dialing is over. */
  url: string;
  /** Is asked what to say to the person who answers, before they are connected. */
  announceUrl?: string | undefined;
  /** How long the phone rings. */
  seconds: number;
  /** How long they may talk. */
  maxTalkSeconds: number;
}

/** Twilio takes at most 4000 characters of TwiML, which also has the address three times. */
const maxAnnounced = 2_000;

/** Any node can answer it: Twilio's signature covers the text. A text that is too long loses its end. */
export function addressOfAnnouncement(
  dialedUrl: string,
  { text, language }: { text: string; language: string },
): string {
  const characters = Array.from(text);
  let length = 0;
  const end = characters.findIndex((character) => {
    length += new URLSearchParams([['', character]]).toString().length - 1;
    return length > maxAnnounced;
  });
  const announce = end === -1 ? text : characters.slice(0, end).join('');
  return `${dialedUrl}&${new URLSearchParams({ announce, language }).toString()}`;
}

/** Passes the caller on to another number. */
export function dialTwiml(dialed: DialedNumber): string {
  const { callerId, to, url, announceUrl, seconds, maxTalkSeconds } = dialed;
  const timeLimit = Number.isFinite(maxTalkSeconds) ? { timeLimit: String(maxTalkSeconds) } : {};
  const dial = { callerId, action: url, method: 'POST', timeout: String(seconds), ...timeLimit };
  const reported = { statusCallbackEvent: 'answered', statusCallback: url, statusCallbackMethod: 'POST' };
  const number = { ...reported, ...(announceUrl !== undefined && { url: announceUrl, method: 'POST' }) };
  return response(`<Dial ${attributes(dial)}><Number ${attributes(number)}>${escapeXml(to)}</Number></Dial>`);
}

/** What the person hears to whom a caller is transferred. They are connected after it. */
export function announceTwiml(words: string, language: string): string {
  return response(`<Say ${attributes({ language })}>${escapeXml(words)}</Say>`);
}

export function hangUpTwiml(): string {
  return response('<Hangup/>');
}

/** The last words of a call that has no line any more. */
export function farewellTwiml(words: string): string {
  return response(`<Say>${escapeXml(words)}</Say><Hangup/>`);
}

function response(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`;
}

function attributes(values: Record<string, string>): string {
  const written = Object.entries(values).map(([name, value]) => `${name}="${escapeXml(value)}"`);
  return written.join(' ');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
