const keyShapes = /\b(?:sk|pk|rk|svc|xai|gsk|key)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+[^\s"',]+/gi;
const longest = 500;

/** A provider's text for our log: without our key, without anything that looks like a key, and cut to a maximum length. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, '[redacted]');
  }
  return clean.replace(keyShapes, '[redacted]').slice(0, longest);
}

/** Servers echo a key as it was sent, inside JSON, inside an address, or as the basic authentication they made of it. */
function formsOf(secret: string): string[] {
  if (secret === '') return [];
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64];
}
