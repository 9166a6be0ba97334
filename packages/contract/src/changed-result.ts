const preface = 'A person changed the arguments before this ran: ';

/** The result of a call that did not run as its model proposed it, as the model must read it. */
export function withChangedArguments(ran: unknown, result: string): string {
  return `${preface}${JSON.stringify(ran)}\n\n${result}`;
}

/** The result alone, for people, who see beside it what was changed. */
export function withoutChangedArguments(content: string): string {
  return content.startsWith(preface) ? content.slice(content.indexOf('\n\n') + 2) : content;
}
