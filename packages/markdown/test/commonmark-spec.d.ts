declare module 'commonmark-spec' {
  /** The examples of the specification, in its order. Tabs are written as →. */
  export const tests: readonly { number: number; section: string; markdown: string; html: string }[];
}
