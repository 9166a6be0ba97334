import { lineOf } from './mask-source.ts';
import type { SourceFiles, Violation } from './source-files.ts';

interface Wording {
  pattern: RegExp;
  instead: string;
}

/** What processes, nodes, readers and connections do. People answer, approve, sign in and write, so those verbs are not here. */
const machineVerbs = [
  '(?:await|listen|wait|join|publish|connect|renew|flood|install|report|speak)(?:s|e?d|ing)?',
  '(?:subscrib|clos|revok|us)(?:es?|ed|ing)',
  '(?:read|need|send|know|trust)(?:s|ing)?',
  'asks for',
];
const auxiliaries = 'can|could|will|would|has|had|is|was';

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
  { pattern: /\bgo(?:es|ing)?\s[\s*/]*on\b|\bgo(?:es)?On\b/gi, instead: 'continue, or keep doing it' },
  { pattern: /\banew\b|\w+Anew\b/gi, instead: 'again, or start over' },
  { pattern: /\b(?:\w*T|t)akeUp(?![a-z])\w*/g, instead: 'what it does: resume, or enqueue' },
  { pattern: /\brest\(/g, instead: 'deactivate, flush or wait' },
  {
    pattern: new RegExp(
      `\\b(?:some|no)body(?: else)?\\s[\\s*/]*(?:(?:${auxiliaries})\\s[\\s*/]*)?(?:${machineVerbs.join('|')})\\b`,
      'gi',
    ),
    instead: 'the actual subject: reader, caller, node or process',
  },
  { pattern: /\b[a-z]\w*AtOnce\b/g, instead: 'batchSize, concurrency or max…' },
  { pattern: /\bmost(?!Common|Recent|Specific)[A-Z]\w*/g, instead: 'max…' },
];

/** Test data, migrations that must not change, and the files that quote what not to write. */
const exempt =
  /\/fixtures\/|\/migrations\/|\/house\/wording-rule(?:\.test)?\.ts$|^(?:CONTRIBUTING|GLOSSARY)\.md$/;

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
