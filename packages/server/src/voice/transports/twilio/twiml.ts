/** What a line is told about its call, in the parameters of its stream. */
export interface StreamParameters {
  call_id: string;
  token: string;
  /** The number of ours. */
  number: string;
  max_seconds: string;
  direction: 'inbound' | 'outbound';
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

/** Passes the caller on to another number. */
export function dialTwiml(callerId: string, to: string): string {
  return response(`<Dial callerId="${escapeXml(callerId)}"><Number>${escapeXml(to)}</Number></Dial>`);
}

function response(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`;
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
