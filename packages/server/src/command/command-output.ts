/** One JSON document, or a few lines for a person. */
export function print(json: boolean, document: unknown, lines: string): void {
  process.stdout.write(`${json ? JSON.stringify(document, null, 2) : lines}\n`);
}

/** Columns as wide as their widest entry. */
export function table(header: string[], rows: string[][]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Text of a model must not move the cursor, change the title or simulate key presses in the terminal. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are removed
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '');
}
