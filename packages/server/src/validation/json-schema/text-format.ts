const formats: Record<string, (text: string) => boolean> = {
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/.test(text) &&
    isDate(text.slice(0, 10)) &&
    isDate(text),
  time: (text) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?$/.test(text),
  email: (text) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  uri: (text) => URL.canParse(text),
};

/** The formats that models fill in. One that is not known here says nothing. */
export function fitsFormat(format: string, text: string): boolean {
  return Object.hasOwn(formats, format) ? (formats[format]?.(text) ?? true) : true;
}

/** `2025-02-30` parses, as the 2nd of March: a day that comes back as another is none. */
function isDate(text: string): boolean {
  const time = Date.parse(text);
  if (Number.isNaN(time)) return false;
  return text.length > 10 || new Date(time).toISOString().startsWith(text);
}
