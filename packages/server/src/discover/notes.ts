export interface Notes {
  add(note: string, name: string): void;
  addFirst(note: string, names: string[]): void;
  /** As sentences. What is true of every tool, of which there are so many, names none. */
  list(allTools: number): string[];
}

export const mostNotes = 200;
const mostNames = 20;
const mostCharacters = 4000;

/** Notes for a person: one that is true of many tools is said once. */
export function createNotes(): Notes {
  let entries: { note: string; names: string[] }[] = [];
  return {
    add(note, name) {
      const known = entries.find((entry) => entry.note === note);
      if (!known) entries.push({ note, names: [name] });
      else if (!known.names.includes(name)) known.names.push(name);
    },
    addFirst(note, names) {
      entries = [{ note, names }, ...entries];
    },
    list(allTools) {
      const sentences = entries.map(({ note, names }) => {
        const isOfAll = allTools > 1 && names.length === allTools;
        return (isOfAll ? note : `${note} (${enumerate(names)})`).slice(0, mostCharacters).toWellFormed();
      });
      if (sentences.length <= mostNotes) return sentences;
      return [
        ...sentences.slice(0, mostNotes - 1),
        `${sentences.length - mostNotes + 1} more notes are left out.`,
      ];
    },
  };
}

function enumerate(names: string[]): string {
  const shown = names.slice(0, mostNames).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}
