const [lineFeed, carriageReturn, quote, backslash, comma, brace, bracket] = [10, 13, 34, 92, 44, 123, 91];

/**
 * Counts the values of JSON as it comes, without reading it: commas and opening brackets outside of texts. In a stream
 * of events each message is counted by itself. A line ends every text: JSON has no line breaks within one.
 */
export function createValueCounter(isStream: boolean): (piece: string) => number {
  let count = 0;
  let isText = false;
  let isEscaped = false;
  let isLineEmpty = true;
  let last = 0;

  function endLine(): void {
    if (isStream && isLineEmpty) count = 0;
    isText = false;
    isEscaped = false;
    isLineEmpty = true;
  }

  /** The most that a message has had by now, of those that the piece belongs to. */
  return (piece) => {
    let most = count;
    for (let at = 0; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      if (unit === lineFeed || unit === carriageReturn) {
        if (!(unit === lineFeed && last === carriageReturn)) endLine();
      } else {
        isLineEmpty = false;
        if (isEscaped) isEscaped = false;
        else if (unit === quote) isText = !isText;
        else if (isText) isEscaped = unit === backslash;
        else if (unit === comma || unit === brace || unit === bracket) count += 1;
      }
      last = unit;
      if (count > most) most = count;
    }
    return most;
  };
}
