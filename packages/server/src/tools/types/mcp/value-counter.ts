const [lineFeed, carriageReturn, quote, backslash, comma, brace, bracket] = [10, 13, 34, 92, 44, 123, 91];

/**
 * Counts the values of JSON as it arrives, without parsing it: commas and opening brackets outside of strings. In an event
 * stream each message is counted separately. A line break ends every string, because JSON has none inside of them.
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

  /** The largest count so far among the messages that the chunk belongs to. */
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
