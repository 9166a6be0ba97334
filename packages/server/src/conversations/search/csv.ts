/** A line of a CSV file, as RFC 4180 has it. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheets run texts that begin with these as formulas, so those get an apostrophe in front, which they do not show. */
const formula = /^\s*[=+\-@＝＋－＠\t\r]/;

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
