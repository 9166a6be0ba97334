/** Texts with `{{parameter}}` in them. There is nothing else: no expressions, no escapes. */

const placeholder = /\{\{\s*([\w-]+)\s*\}\}/g;
const alone = /^\{\{\s*([\w-]+)\s*\}\}$/;

export type Given = Readonly<Record<string, unknown>>;

export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name);
}

/** With a plain letter in the place of each. */
export function withoutPlaceholders(template: string): string {
  return template.replaceAll(placeholder, 'x');
}

/** The parameter's name, when the whole text is one placeholder. */
function lonePlaceholder(template: string): string | undefined {
  return alone.exec(template)?.[1];
}

/** A value that was not given leaves nothing behind. */
export function fill(
  template: string,
  given: Given,
  encode: (text: string) => string = (text) => text,
): string {
  return template.replaceAll(placeholder, (_whole, name: string) => encode(toText(valueOf(given, name))));
}

/** Fills all strings of a JSON value; one that is only a placeholder becomes the value itself, whatever its type. */
export function fillJson(template: unknown, given: Given): unknown {
  if (typeof template === 'string') {
    const name = lonePlaceholder(template);
    return name === undefined ? fill(template, given) : valueOf(given, name);
  }
  if (Array.isArray(template)) return template.map((entry) => fillJson(entry, given) ?? null);
  if (typeof template !== 'object' || template === null) return template;
  const filled = Object.entries(template).map(([key, entry]) => [key, fillJson(entry, given)] as const);
  return Object.fromEntries(filled.filter(([, entry]) => entry !== undefined));
}

/** As fill, but nothing at all when the text is only a placeholder for something that was not given. */
export function fillOptional(template: string, given: Given): string | undefined {
  const name = lonePlaceholder(template);
  return name !== undefined && valueOf(given, name) === undefined ? undefined : fill(template, given);
}

/** What somebody is called `constructor` is not a parameter. */
function valueOf(given: Given, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
