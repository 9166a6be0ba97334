/** The same for ripgrep and for the built-in search. */
export const searchLimits = {
  maxMatches: 500,
  /** Characters of a line that are shown; ripgrep counts bytes. */
  maxLineLength: 400,
  /** Larger files are not searched. */
  maxFileMegabytes: 10,
} as const;
