/** `{{name}}` in a text: no expressions, no escapes. */
export const placeholder = /\{\{\s*([\w-]+)\s*\}\}/g;

export function placeholdersIn(template: string): string[] {
  return [...template.matchAll(placeholder)].map(([, name = '']) => name);
}

/** Replaces each placeholder by a plain letter. */
export function withoutPlaceholders(template: string): string {
  return template.replaceAll(placeholder, 'x');
}
