/** At most this many UTF-16 units, ending in an ellipsis if something was cut off; surrogate pairs are never split. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
