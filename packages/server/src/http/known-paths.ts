import type { Access } from './access.ts';

/** What each method of a path takes. */
export type KnownMethods = ReadonlyMap<string, Access>;

interface Pattern {
  segments: string[];
  methods: Map<string, Access>;
}

export type KnownPaths = ReturnType<typeof createKnownPaths>;

/** Which methods each path takes, so that a wrong method can be distinguished from an unknown path. */
export function createKnownPaths() {
  const exact = new Map<string, Map<string, Access>>();
  const patterns = new Map<string, Pattern>();

  function methodsAt(url: string): Map<string, Access> {
    const segments = url.split('/').map((segment) => (segment.startsWith(':') ? ':' : segment));
    if (segments.every((segment) => segment !== ':' && segment !== '*')) {
      const known = exact.get(url) ?? new Map<string, Access>();
      exact.set(url, known);
      return known;
    }
    // The names of parameters do not matter.
    const shape = segments.join('/');
    const known = patterns.get(shape) ?? { segments, methods: new Map<string, Access>() };
    patterns.set(shape, known);
    return known.methods;
  }

  return {
    add(method: string, url: string, access: Access): void {
      methodsAt(url).set(method, access);
    },

    /** Undefined for a path that no route has without parameters. */
    exactly: (path: string): KnownMethods | undefined => exact.get(path),

    /** As in OpenAPI, a path without parameters comes before one with. Undefined when no route matches. */
    methodsOf(path: string): KnownMethods | undefined {
      const known = exact.get(path);
      if (known) return known;
      const segments = path.split('/');
      const fitting = [...patterns.values()].filter((pattern) => fits(pattern.segments, segments));
      return fitting.toSorted((one, other) => parametersIn(one) - parametersIn(other))[0]?.methods;
    },
  };
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every(
    (part, index) => part === '*' || (part === ':' ? path[index] !== '' : part === path[index]),
  );
}

function parametersIn({ segments }: Pattern): number {
  return segments.reduce((count, part) => count + (part === '*' ? 100 : part === ':' ? 1 : 0), 0);
}
