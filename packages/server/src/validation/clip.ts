/** At most so many UTF-16 units, the last of them an ellipsis if something was left out; a pair is never split. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
