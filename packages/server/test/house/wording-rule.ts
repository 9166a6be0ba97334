import { lineOf } from './mask-source.ts';
import type { SourceFiles, Violation } from './source-files.ts';

interface Wording {
  pattern: RegExp;
  instead: string;
}

/** Phrases and names that read as translated. CONTRIBUTING.md has the whole advice; this is what a pattern can find. */
const wordings: readonly Wording[] = [
  { pattern: /\bcan not\b/gi, instead: 'cannot' },
  { pattern: /\balso (?:when|if|after|while|before|where)\b/gi, instead: 'even if, or even when' },
  {
    pattern: /(?<!\bthere )\bis no (?!longer\b|more than\b|less than\b|fewer than\b|different\b|better\b)/gi,
    instead: 'is not a',
  },
  { pattern: /\b(?:for|by|from|with) who\b/gi, instead: 'a noun before who' },
  { pattern: /(?:^|[.;:*/] )who (?!(?:or|the|may|can)\b)[a-z][^.?;]*[.;]/gim, instead: 'a noun before who' },
  { pattern: /\bit is so that\b/gi, instead: 'nothing: say it directly' },
  { pattern: /\ball the same(?=[.,;:)]| \()/gi, instead: 'anyway, or still' },
  { pattern: /\bwhosever\b/gi, instead: 'whatever workspace it belongs to, or whose' },
  { pattern: /\bnothing else than\b/gi, instead: 'only' },
  { pattern: /\b[a-z]\w*AtOnce\b/g, instead: 'batchSize, concurrency or max…' },
  { pattern: /\bmost(?!Common|Recent|Specific)[A-Z]\w*/g, instead: 'max…' },
];

/** Test data, migrations that must not change, and the files that quote what not to write. */
const exempt =
  /\/fixtures\/|\/migrations\/|\/house\/(?:wording-rule|rules\.test)\.ts$|^(?:CONTRIBUTING|GLOSSARY)\.md$/;

export function wordingIsPlain(files: SourceFiles): Violation[] {
  return [...files].flatMap(([path, text]) => {
    if (exempt.test(path)) return [];
    return wordings.flatMap(({ pattern, instead }) =>
      [...text.matchAll(pattern)].map(
        ({ 0: found, index }) => `${path}:${lineOf(text, index)} says '${found.trim()}': write ${instead}`,
      ),
    );
  });
}
